import type { Browser } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { startModelServer, type ModelServer } from "../../fixtures/model-server/model-server.ts";
import { launchChromium } from "./chromium.ts";
import { startServer, type ServerProcess } from "./server.ts";

/** The environment of a test file: a browser, the server, and a model server with scripted answers. */
export type Stage = { browser: Browser; server: ServerProcess; model: ModelServer };

/** `model: false`: no model is connected, so the built-in assistant answers. `program`: another entry file than the server's. */
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
