import { api, type Api, type EndpointName } from "./api.ts";
import type { Caller } from "./endpoint.ts";

/** Those of programs with a key, which the web app never calls. */
const keyCallers = ["key", "app", "personal"] as const satisfies Caller[];

/** The endpoints that the web app can call. */
export type AppEndpoint = {
  [N in EndpointName]: Api[N]["caller"] extends (typeof keyCallers)[number] ? never : N;
}[EndpointName];

/**
 * Method and path of these endpoints. In the browser's bundle `scripts/vite/used-values.ts` replaces this module by its
 * value, so that schemas and documentation stay out of it.
 */
export const paths = Object.fromEntries(
  Object.entries(api)
    .filter(([, { caller }]) => !keyCallers.some((each) => each === caller))
    .map(([name, { method, path }]) => [name, { method, path }]),
) as { [N in AppEndpoint]: Pick<Api[N], "method" | "path"> };
