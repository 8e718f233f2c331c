import { createServer } from "node:http";
import { createGzip } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import { listenLocally } from "#fixtures/local-server.ts";
import { ollama } from "#server/models/provider-kinds/ollama.ts";
import { requestModels } from "./model-list.ts";

const megabyte = Buffer.alloc(1024 * 1024, " ");

/** Sends 1 MiB again and again, compressed to a thousandth. */
const server = createServer((request, response) => {
  request.resume();
  response.writeHead(200, { "Content-Type": "application/json", "Content-Encoding": "gzip" });
  const gzip = createGzip();
  gzip.pipe(response).on("close", () => gzip.destroy());
  const write = () => {
    while (!gzip.destroyed && gzip.write(megabyte));
  };
  gzip.on("drain", write);
  write();
});
const { url: baseUrl, close } = await listenLocally(server);
afterAll(close);

test("a list of models that never ends is not read into memory", async () => {
  const request = { url: `${baseUrl}/v1/models`, headers: {} };
  const listed = requestModels(
    { request, apiKey: undefined, fetch, timeoutMs: 60_000 },
    new AbortController().signal,
  );
  await expect(listed).rejects.toThrow(/more than \d+ bytes/);
});

test("Ollama's facts of a model that never end are left out", async () => {
  expect(await ollama.loadFacts?.({ baseUrl, apiKey: undefined }, "llama", fetch)).toBeUndefined();
});
