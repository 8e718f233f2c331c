import { AssistantCloud } from "assistant-cloud";
import { afterAll, beforeAll, expect } from "vitest";
import { eventually } from "../support/chat.ts";
import { openStage, type Stage } from "../support/stage.ts";
import { visit, type Visit, type VisitOptions } from "../support/visit.ts";
import { startClientApp, type ClientApp } from "./app-server.ts";
import type { ClientName } from "./names.ts";
import { clientPage } from "./page.ts";

const apiKey = "sk_aui_proj_e2eClientsKey0123456789abcdef";

export type AtApp = {
  visitor: Visit;
  at: ReturnType<typeof clientPage>;
  /** Until the service has stored as many messages since the visit began: clients store them after they were said. */
  stored(count: number): Promise<void>;
};

type Options = Pick<VisitOptions, "lossesExpected" | "prepare"> & {
  /** Whom the app's own sign-in says it is; nobody is an anonymous visitor. */
  user?: string;
};

/** Our server, and somebody's app on another origin that uses it. */
export function openAppStage(env: Record<string, string> = {}): {
  stage: Stage;
  openApp(client: ClientName, options?: Options): Promise<AtApp>;
  /** What the app's backend does with its API key for one of its users. */
  backend(user: string): AssistantCloud;
} {
  const stage = openStage({ env: { PARLANCE_API_KEY: apiKey, ...env } });
  let app: ClientApp;
  const workspaceOf = (user: string) => `workspace_${user}`;
  beforeAll(async () => {
    app = await startClientApp({
      modelUrl: stage.model.url,
      service: { url: stage.server.url, apiKey, workspaceOf },
    });
  });
  afterAll(async () => await app?.close());

  return {
    stage,
    backend: (user) =>
      new AssistantCloud({
        baseUrl: stage.server.url,
        apiKey,
        userId: user,
        workspaceId: workspaceOf(user),
        telemetry: false,
      }),
    async openApp(client, { user, ...options } = {}) {
      const query = new URLSearchParams({ client, service: stage.server.url });
      if (user !== undefined) query.set("user", user);
      let messages = 0;
      const visitor = await visit(stage.browser, app.url, {
        ...options,
        path: `/?${query.toString()}`,
        service: stage.server.url,
        bucket: env.S3_ENDPOINT,
      });
      visitor.context.on("response", (response) => {
        const stored = response.request().method() === "POST" && response.status() === 201;
        if (stored && response.url().endsWith("/messages")) messages++;
      });
      return {
        visitor,
        at: clientPage(visitor.page),
        stored: async (count) =>
          await eventually(
            async () => messages,
            (so) => expect(so).toBeGreaterThanOrEqual(count),
          ),
      };
    },
  };
}
