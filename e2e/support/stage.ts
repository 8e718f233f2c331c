import type { Browser } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { startModelServer, type ModelServer } from "../../fixtures/model-server/model-server.ts";
import { launchChromium } from "./chromium.ts";
import { startServer, type ServerProcess } from "./server.ts";

/** What the stories of one file play on: a browser, our server, and a model that says what it is told to. */
export type Stage = { browser: Browser; server: ServerProcess; model: ModelServer };

/** `model: false`: no model is connected, and the built-in assistant answers. `program`: another one than the server's own. */
export function openStage(
  options: { model?: false; env?: Record<string, string>; program?: string } = {},
): Stage {
  const stage = {} as Stage;
  beforeAll(async () => {
    stage.model = await startModelServer();
    const connected =
      options.model === false ? undefined : { OPENAI_BASE_URL: stage.model.url, OPENAI_MODEL: "fixture-1" };
    stage.server = await startServer({ ...connected, ...options.env }, options.program);
    stage.browser = await launchChromium();
  });
  afterAll(async () => {
    await stage.browser?.close();
    await stage.server?.close();
    await stage.model?.close();
  });
  return stage;
}
