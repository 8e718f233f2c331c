import { AssistantCloud } from "assistant-cloud";
import { afterAll, beforeAll, expect } from "vitest";
import { eventually } from "../support/chat.ts";
import { startEnvironment, type Environment } from "../support/environment.ts";
import { visit, type Visit, type VisitOptions } from "../support/visit.ts";
import { startClientApp, type ClientApp } from "./app-server.ts";
import type { AppName } from "./names.ts";
import { clientPage, errorsOfNewApp } from "./page.ts";

const apiKey = "sk_aui_proj_e2eClientsKey0123456789abcdef";

export type AtApp = {
  visitor: Visit;
  at: ReturnType<typeof clientPage>;
  /**
   * Waits until the service has stored this number of complete messages since the start of the visit. Clients store them
   * late, or begin to store an answer with a lease, which they end when it is complete.
   */
  stored(count: number): Promise<void>;
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
      let messages = 0;
      const visitor = await visit(environment.browser, app.url, {
        ...options,
        ignoredErrors: errorsOfNewApp,
        path: `/?${query.toString()}`,
        service: environment.server.url,
        bucket: env.S3_ENDPOINT,
      });
      visitor.context.on("response", (response) => {
        const request = response.request();
        if (request.method() !== "POST" || !response.ok()) return;
        const isLeased = request.postData()?.includes('"open_run":true') === true;
        const isNew = response.url().endsWith("/messages") && response.status() === 201 && !isLeased;
        if (isNew || /\/runs\/lease_\w+\/end$/.test(response.url())) messages++;
      });
      return {
        visitor,
        at: clientPage(visitor.page),
        stored: async (count) =>
          await eventually(
            async () => messages,
            (current) => expect(current).toBeGreaterThanOrEqual(count),
          ),
      };
    },
  };
}
