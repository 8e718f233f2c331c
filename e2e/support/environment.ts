import type { Browser } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { startModelServer, type ModelServer } from "../../fixtures/model-server/model-server.ts";
import { launchChromium } from "./chromium.ts";
import { startServer, type ServerProcess } from "./server.ts";

/** The environment of a test file: a browser, the server, and a model server with scripted answers. */
export type Environment = { browser: Browser; server: ServerProcess; model: ModelServer };

/**
 * `model: false`: no model is connected, so the built-in assistant answers. `contextTokens`: the context of the models.
 * `program`: another entry file than the server's.
 */
export function startEnvironment(
  options: {
    model?: false;
    contextTokens?: number;
    env?: Record<string, string>;
    program?: string;
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
  afterAll(async () => {
    await environment.browser?.close();
    await environment.server?.close();
    await environment.model?.close();
  });
  return environment;
}
