import { once } from "node:events";
import { Agent, createServer, request, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { afterEach, describe, expect, test } from "vitest";
import { ByteAnswer } from "../lib/route.ts";
import { arrivingBytes, writeBytes } from "./bytes.ts";

const undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (let last = undo.pop(); last !== undefined; last = undo.pop()) await last();
});

/** What a client on a connection that stays reads of an answer of these pieces, and what was thrown. */
async function read(pieces: string[], headers: Record<string, string>) {
  const answer = new ByteAnswer(200, headers, async () =>
    Readable.from(pieces.map((piece) => Buffer.from(piece))),
  );
  const options = { headers: {}, stalledMs: 60_000, signal: new AbortController().signal };
  let thrown: unknown;
  const server = createServer(
    (_, outgoing) => void writeBytes(outgoing, answer, options).catch((error: unknown) => (thrown = error)),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const agent = new Agent({ keepAlive: true });
  undo.push(async () => {
    agent.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const asked = request({ agent, port: (server.address() as AddressInfo).port, host: "127.0.0.1" });
  asked.end();
  const text = await (once(asked, "response") as Promise<[IncomingMessage]>)
    .then(async ([incoming]) => (await buffer(incoming)).toString())
    .catch(() => "cut");
  return { text, thrown };
}

describe("the bytes of a file", () => {
  test("are all that were told", async () => {
    const told = { "Content-Length": "8" };
    expect(await read(["four", "more"], told)).toEqual({ text: "fourmore", thrown: undefined });
    expect(await read(["four", "more"], {})).toEqual({ text: "fourmore", thrown: undefined });
  });

  test.for([[[]], [["four"]]])("are cut off where fewer come than were told: %j", async ([pieces]) => {
    const { text, thrown } = await read(pieces!, { "Content-Length": "8" });
    expect([text, String(thrown)]).toEqual(["cut", "Error: 8 bytes were promised, and fewer came"]);
  });
});

describe("bytes that arrive", () => {
  const stalledMs = 100;

  /** What a server takes of the pieces that a sender sends, who goes on as soon as `more` resolves, or never. */
  async function take(more: Promise<void>, eachTakesMs: number): Promise<string> {
    const taken = Promise.withResolvers<string>();
    const server = createServer((incoming, outgoing) => {
      const text = async () => {
        let all = "";
        for await (const piece of arrivingBytes(incoming, stalledMs)) {
          all += Buffer.from(piece).toString();
          await new Promise((resolve) => setTimeout(resolve, eachTakesMs));
        }
        return all;
      };
      taken.resolve(text());
      taken.promise.then(
        () => outgoing.end(),
        () => outgoing.destroy(),
      );
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    undo.push(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    const { port } = server.address() as AddressInfo;
    const sending = request({ port, host: "127.0.0.1", method: "PUT" });
    sending.on("error", () => {});
    sending.write("first ");
    void more.then(() => sending.end("second"));
    return await taken.promise;
  }

  test("are waited for as long as they keep coming, however long each is worked on", async () => {
    expect(await take(Promise.resolve(), 4 * stalledMs)).toBe("first second");
  });

  test("are given up where their sender says nothing for too long", async () => {
    await expect(take(new Promise(() => {}), 0)).rejects.toMatchObject({ code: "client-gone" });
    await expect(take(new Promise(() => {}), 2 * stalledMs)).rejects.toMatchObject({ code: "client-gone" });
  });
});
