import type { Browser } from "playwright-core";
import { afterAll, beforeAll, test as base } from "vitest";
import { startModelServer, type ModelServer } from "../../fixtures/model-server/model-server.ts";
import { launchChromium } from "./chromium.ts";
import { startServer, type ServerProcess } from "./server.ts";
import { visit } from "./visit.ts";

/** The environment of a test file: a browser, the server, and a model server with scripted answers. */
export type Environment = { browser: Browser; server: ServerProcess; model: ModelServer };

/**
 * The environment of a test file whose people are all guests. The other such files of its worker used the same server, so it
 * has no owner link and is not stopped.
 */
export type GuestEnvironment = {
  browser: Browser;
  server: Pick<ServerProcess, "url" | "runCommand">;
  model: ModelServer;
};

/**
 * `ownServer`: for tests with an owner, and those that stop the server. `model: false`: no model is connected, so the
 * built-in assistant answers. `contextTokens`: the context of the models. `program`: another entry file than the server's.
 */
type Options = {
  ownServer?: true;
  model?: false;
  contextTokens?: number;
  env?: Record<string, string>;
  program?: string;
};

type Servers = Pick<Environment, "server" | "model">;

// A file ends without closing them, as the worker's next file uses them. They end with the worker.
let workerBrowser: Browser | undefined;
let workerServers: Servers | undefined;
let ofFile: Environment | undefined;

/** A test with a visit to the server of its file as a parameter: Ada's, or only its page. */
export const test = base
  .extend("ada", async () => await visit(ofFile!.browser, ofFile!.server.url))
  .extend("page", ({ ada }) => ada.page);

export function startEnvironment(): GuestEnvironment;
export function startEnvironment(options: Options): Environment;
export function startEnvironment(options?: Options): Environment {
  const environment = {} as Environment;
  const closeContexts = async () => {
    for (const context of environment.browser.contexts()) await context.close();
  };
  beforeAll(async () => {
    const servers =
      options === undefined ? (workerServers ??= await startServers({})) : await startServers(options);
    Object.assign(environment, servers);
    environment.model.requests.length = 0;
    if (workerBrowser?.isConnected() !== true) workerBrowser = await launchChromium();
    environment.browser = workerBrowser;
    ofFile = environment;
  });
  afterAll(async () => {
    if (environment.browser !== undefined) await closeContexts();
    if (options === undefined) return;
    await environment.server?.close();
    await environment.model?.close();
  });
  return environment;
}

async function startServers({ model: connects, contextTokens, env, program }: Options): Promise<Servers> {
  const model = await startModelServer(contextTokens === undefined ? {} : { contextTokens });
  const connected =
    connects === false ? undefined : { OPENAI_BASE_URL: model.url, OPENAI_MODEL: "fixture-1" };
  return { model, server: await startServer({ ...connected, ...env }, program) };
}
