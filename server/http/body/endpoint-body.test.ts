import { once } from "node:events";
import { createServer, request } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import { listenLocally } from "#fixtures/local-server.ts";
import type { Endpoint } from "#contract/endpoint.ts";
import { api } from "#contract/api.ts";
import { limits } from "#contract/limits.ts";
import type { AppError } from "#server/lib/errors.ts";
import { createBodyMemory } from "./body-memory.ts";
import { bodyTimeoutMs, createBodyReader } from "./endpoint-body.ts";

const KiB = 1024;

describe("reading a body", () => {
  const undo: (() => unknown)[] = [];
  afterEach(async () => {
    for (const step of undo.splice(0).toReversed()) await step();
  });

  /** A server that reads bodies for `messages.add` and responds with the outcome. It holds their memory until `releaseAll`. */
  async function start(max: { perAddressBytes: number; totalBytes: number }) {
    const readBody = createBodyReader({ memory: createBodyMemory(max), timeoutMs: () => 60_000 });
    const releases: (() => void)[] = [];
    const server = createServer((incoming, outgoing) => {
      readBody(incoming, api["messages.add"] as Endpoint, incoming.headers.from).then(
        ({ release }) => {
          releases.push(release);
          outgoing.end("read");
        },
        (error: AppError) => outgoing.end(error.code),
      );
    });
    const { port, close } = await listenLocally(server);
    undo.push(close);
    return {
      releaseAll: () => releases.splice(0).forEach((release) => release()),
      async send(from: string, sizeBytes: number): Promise<string> {
        const text = "x".repeat(sizeBytes);
        const body = JSON.stringify({ parent_id: null, format: "notes/v1", content: { text } });
        const outgoing = request({ port, method: "POST", headers: { From: from } }).end(body);
        const [answer] = await once(outgoing, "response");
        return String(Buffer.concat(await answer.toArray()));
      },
    };
  }

  test("holds its memory until it is released", async () => {
    const server = await start({ perAddressBytes: 300 * KiB, totalBytes: 400 * KiB });
    expect(await server.send("eve", 200 * KiB)).toBe("read");
    expect(await server.send("eve", 200 * KiB)).toBe("rate-limited");
    expect(await server.send("dan", 150 * KiB)).toBe("read");
    expect(await server.send("fay", 200 * KiB)).toBe("server-busy");
    expect(await server.send("fay", 8 * KiB)).toBe("read");
    server.releaseAll();
    expect(await server.send("eve", 200 * KiB)).toBe("read");
    expect(await server.send("fay", 150 * KiB)).toBe("read");
  });

  test("holds no memory if it was refused", async () => {
    const server = await start({ perAddressBytes: 300 * KiB, totalBytes: 300 * KiB });
    for (let sent = 0; sent < 3; sent++) {
      expect(await server.send("eve", 400 * KiB)).toBe("rate-limited");
      expect(await server.send("dan", 250 * KiB)).toBe("read");
      server.releaseAll();
    }
  });
});

test("small bodies have 10 seconds, and large ones the time that a slow connection needs", () => {
  expect(bodyTimeoutMs(limits.bodyBytes)).toBe(10_000);
  const slowBytesPerSecond = 256_000 / 8;
  expect(bodyTimeoutMs(limits.jsonBodyBytes)).toBeGreaterThan(
    (limits.jsonBodyBytes / slowBytesPerSecond) * 990,
  );
  expect(bodyTimeoutMs(limits.jsonBodyBytes)).toBeLessThan(10 * 60_000);
});
