import { api, type Api, type EndpointName } from "./api.ts";

/**
 * Method and path of every endpoint. In the browser's bundle `scripts/vite/used-values.ts` replaces this module by its value, so
 * that schemas and documentation stay out of it.
 */
export const paths = Object.fromEntries(
  Object.entries(api).map(([name, { method, path }]) => [name, { method, path }]),
) as { [N in EndpointName]: Pick<Api[N], "method" | "path"> };
