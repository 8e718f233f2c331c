import { api, type Api, type EndpointName } from "./api.ts";
import type { Caller } from "./endpoint.ts";

/** Those of programs with a key, which the web app never calls. */
const keyCallers = ["key", "app", "personal"] as const satisfies Caller[];

/** Those of clients of the protocol and of scripts, and those whose URLs the page gets from the server. */
const neverCalled = [
  "profile.picture",
  "threads.create",
  "threads.claim",
  "messages.list",
  "messages.update",
  "clientLeases.heartbeat",
  "clientLeases.end",
  "runs.get",
  "runs.events",
  "runs.stream",
  "runs.resume",
  "runs.report",
  "runs.replay",
  "summaries.list",
  "files.download",
  "files.receive",
  "files.read",
  "files.thumbnail",
  "files.open",
  "files.openPage",
  "scores.put",
  "events.add",
] as const satisfies EndpointName[];

/** The endpoints that the web app can call. */
export type AppEndpoint = {
  [N in EndpointName]: Api[N]["caller"] extends (typeof keyCallers)[number] ? never : N;
}[Exclude<EndpointName, (typeof neverCalled)[number]>];

/**
 * Method and path of these endpoints, such as `GET /v1/threads`. In the browser's bundle `scripts/vite/used-values.ts` replaces this module by its
 * value, so that schemas and documentation stay out of it.
 */
export const requestLines = Object.fromEntries(
  Object.entries(api)
    .filter(
      ([name, { caller }]) =>
        !keyCallers.some((key) => key === caller) && !neverCalled.some((no) => no === name),
    )
    .map(([name, { method, path }]) => [name, `${method} ${path}`]),
) as { [N in AppEndpoint]: `${Api[N]["method"]} ${Api[N]["path"]}` };
