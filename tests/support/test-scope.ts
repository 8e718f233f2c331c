import { onTestFinished } from "vitest";
import {
  startModelServer,
  type ModelServer,
  type ModelServerOptions,
} from "#fixtures/model-server/model-server.ts";
import { apiKey, people } from "#fixtures/people.ts";
import { startChildServer, type ChildServer } from "./servers/child-server.ts";
import {
  newPlace,
  startTestServer,
  type EngineName,
  type ServerPlace,
  type TestServer,
  type TestServerOptions,
} from "./servers/server.ts";
import { keyHeaders, visitor, type Visitor } from "./clients/visitor.ts";

/**
 * Servers for a single test, which may share a place or be killed. They are stopped after the test, the last one first,
 * if the test has not stopped them.
 */

export async function placeForTest(engine: EngineName): Promise<ServerPlace> {
  const place = await newPlace(engine);
  onTestFinished(place.remove);
  return place;
}

export async function modelForTest(options?: ModelServerOptions): Promise<ModelServer> {
  const model = await startModelServer(options);
  onTestFinished(model.close);
  return model;
}

/** A server in a separate process, which a test can kill. */
export async function childForTest(...options: Parameters<typeof startChildServer>): Promise<ChildServer> {
  const child = await startChildServer(...options);
  onTestFinished(async () => void (await child.end("SIGKILL")));
  return child;
}

/** A server in the process of the tests. */
export async function serverForTest(options: TestServerOptions): Promise<TestServer> {
  const server = await startTestServer(options);
  onTestFinished(server.close);
  return server;
}

/** A visitor who is the same user on every server. */
export function adaOn({ url }: { url: string }): Visitor {
  return visitor(url, "ada", keyHeaders(apiKey, people.ada));
}
