import { once } from "node:events";
import { Agent, createServer, request, type IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { afterEach, describe, expect, test } from "vitest";
import { listenLocally } from "#fixtures/local-server.ts";
import { FileResponse } from "../lib/route.ts";
import { arrivingBytes, writeBytes } from "./write-bytes.ts";

const undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (let last = undo.pop(); last !== undefined; last = undo.pop()) await last();
});

/** What a client with a keep-alive connection reads of a response with these chunks, and the error that was thrown. */
async function read(chunks: string[], headers: Record<string, string>) {
  const answer = new FileResponse(200, headers, async () =>
    Readable.from(chunks.map((chunk) => Buffer.from(chunk))),
  );
  const options = { headers: {}, stalledMs: 60_000, signal: new AbortController().signal };
  let thrown: unknown;
  const server = createServer(
    (_, outgoing) => void writeBytes(outgoing, answer, options).catch((error: unknown) => (thrown = error)),
  );
  const { port, close } = await listenLocally(server);
  const agent = new Agent({ keepAlive: true });
  undo.push(async () => {
    agent.destroy();
    await close();
  });
  const sent = request({ agent, port, host: "127.0.0.1" });
  sent.end();
  const text = await (once(sent, "response") as Promise<[IncomingMessage]>)
    .then(async ([incoming]) => (await buffer(incoming)).toString())
    .catch(() => "cut");
  return { text, thrown };
}

describe("writing a file", () => {
  test("sends all bytes", async () => {
    const headers = { "Content-Length": "8" };
    expect(await read(["four", "more"], headers)).toEqual({ text: "fourmore", thrown: undefined });
    expect(await read(["four", "more"], {})).toEqual({ text: "fourmore", thrown: undefined });
  });

  test.for([
    [[], 0],
    [["four"], 4],
  ] as const)(
    "closes the connection if the file is shorter than its Content-Length: %j",
    async ([chunks, bytes]) => {
      const { text, thrown } = await read([...chunks], { "Content-Length": "8" });
      expect([text, String(thrown)]).toEqual(["cut", `Error: the file has ${bytes} bytes instead of 8`]);
    },
  );
});

describe("receiving a body", () => {
  const stalledMs = 100;

  /** What a server reads from a client that sends the second half when `more` resolves. */
  async function take(more: Promise<void>, chunkMs: number): Promise<string> {
    const taken = Promise.withResolvers<string>();
    const server = createServer((incoming, outgoing) => {
      const text = async () => {
        let all = "";
        for await (const chunk of arrivingBytes(incoming, stalledMs)) {
          all += Buffer.from(chunk).toString();
          await new Promise((resolve) => setTimeout(resolve, chunkMs));
        }
        return all;
      };
      taken.resolve(text());
      taken.promise.then(
        () => outgoing.end(),
        () => outgoing.destroy(),
      );
    });
    const { port, close } = await listenLocally(server);
    undo.push(close);
    const sending = request({ port, host: "127.0.0.1", method: "PUT" });
    sending.on("error", () => {});
    sending.write("first ");
    void more.then(() => sending.end("second"));
    return await taken.promise;
  }

  test("does not count the time that the consumer takes for each chunk", async () => {
    expect(await take(Promise.resolve(), 4 * stalledMs)).toBe("first second");
  });

  test("gives up if the client sends nothing for too long", async () => {
    await expect(take(new Promise(() => {}), 0)).rejects.toMatchObject({ code: "client-gone" });
    await expect(take(new Promise(() => {}), 2 * stalledMs)).rejects.toMatchObject({ code: "client-gone" });
  });
});
