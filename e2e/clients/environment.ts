import { AssistantCloud } from "assistant-cloud";
import { afterAll, beforeAll } from "vitest";
import { startEnvironment, type Environment } from "../support/environment.ts";
import { visit, type Visit, type VisitOptions } from "../support/visit.ts";
import { startClientApp, type ClientApp } from "./app-server.ts";
import type { AppName } from "./names.ts";
import { clientPage, errorsOfNewApp, storedIn } from "./page.ts";

const apiKey = "sk_aui_proj_e2eClientsKey0123456789abcdef";

export type AtApp = {
  visitor: Visit;
  at: ReturnType<typeof clientPage>;
  stored: ReturnType<typeof storedIn>;
};

type Options = Pick<VisitOptions, "networkErrorsExpected" | "prepare"> & {
  /** The user that the app has signed in; `undefined` for an anonymous visitor. */
  user?: string;
  /** Whether the app's own history adapter deletes messages, instead of the client's. */
  deletes?: boolean;
};

/** The server, and a test app on another origin that uses it. `newest`: built with assistant-ui's newest packages. */
export function startAppEnvironment(
  env: Record<string, string> = {},
  { newest = false }: { newest?: boolean } = {},
): {
  environment: Environment;
  openApp(client: AppName, options?: Options): Promise<AtApp>;
  /** A client of the app's backend, with its API key, for one of its users. */
  backend(user: string): AssistantCloud;
} {
  const environment = startEnvironment({ env: { PARLANCE_API_KEY: apiKey, ...env } });
  let app: ClientApp;
  const workspaceOf = (user: string) => `workspace_${user}`;
  beforeAll(async () => {
    app = await startClientApp({
      newest,
      modelUrl: environment.model.url,
      service: { url: environment.server.url, apiKey, workspaceOf },
    });
  });
  afterAll(async () => await app?.close());

  return {
    environment,
    backend: (user) =>
      new AssistantCloud({
        baseUrl: environment.server.url,
        apiKey,
        userId: user,
        workspaceId: workspaceOf(user),
        telemetry: false,
      }),
    async openApp(client, { user, deletes = false, ...options } = {}) {
      const query = new URLSearchParams({ client, service: environment.server.url });
      if (user !== undefined) query.set("user", user);
      if (deletes) query.set("deletes", "");
      const visitor = await visit(environment.browser, app.url, {
        ...options,
        ignoredErrors: errorsOfNewApp,
        path: `/?${query.toString()}`,
        service: environment.server.url,
        bucket: env.S3_ENDPOINT,
      });
      return { visitor, at: clientPage(visitor.page), stored: storedIn(visitor) };
    },
  };
}
