import type { Browser } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { startModelServer, type ModelServer } from "../../fixtures/model-server/model-server.ts";
import { launchChromium } from "./chromium.ts";
import { onRetry } from "./on-retry.ts";
import { startServer, type ServerProcess } from "./server.ts";

/** The environment of a test file: a browser, the server, and a model server with scripted answers. */
export type Environment = { browser: Browser; server: ServerProcess; model: ModelServer };

/**
 * `model: false`: no model is connected, so the built-in assistant answers. `contextTokens`: the context of the models.
 * `program`: another entry file than the server's. `keepsData`: the file sets the server up once, so a retry keeps its data.
 */
export function startEnvironment(
  options: {
    model?: false;
    contextTokens?: number;
    env?: Record<string, string>;
    program?: string;
    keepsData?: true;
  } = {},
): Environment {
  const environment = {} as Environment;
  beforeAll(async () => {
    environment.model = await startModelServer(
      options.contextTokens === undefined ? {} : { contextTokens: options.contextTokens },
    );
    const connected =
      options.model === false
        ? undefined
        : { OPENAI_BASE_URL: environment.model.url, OPENAI_MODEL: "fixture-1" };
    environment.server = await startServer({ ...connected, ...options.env }, options.program);
    environment.browser = await launchChromium();
  });
  onRetry(async () => {
    for (const context of environment.browser.contexts()) await context.close();
    if (options.keepsData === undefined) await environment.server.reset();
  });
  afterAll(async () => {
    await environment.browser?.close();
    await environment.server?.close();
    await environment.model?.close();
  });
  return environment;
}
