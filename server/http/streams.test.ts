import { createServer, type ServerResponse } from "node:http";
import { afterEach, describe, expect, test, vi } from "vitest";
import { listenLocally } from "#fixtures/local-server.ts";
import { limits } from "#contract/limits.ts";
import type { EventBatch } from "../lib/route.ts";
import { readEventStream } from "#tests/support/clients/event-stream.ts";
import { writeEvents, writeText } from "./streams.ts";

const undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (let last = undo.pop(); last !== undefined; last = undo.pop()) await last();
});

/** The URL of a server that calls `write` for every request. */
async function serverWith(write: (outgoing: ServerResponse) => Promise<void>): Promise<string> {
  const server = createServer((_, outgoing) => void write(outgoing).catch(() => {}));
  const { url, close } = await listenLocally(server);
  undo.push(close);
  return url;
}

const never = new AbortController().signal;
const options = {
  headers: { "X-Some": "thing" },
  heartbeatMs: 60_000,
  stalledMs: 60_000,
  signal: never,
  errorData: () => ({ code: "internal" }),
};

async function* frames(...data: unknown[]): AsyncGenerator<EventBatch> {
  for (const [index, each] of data.entries())
    yield [{ ...(index % 2 === 0 ? { id: index } : {}), json: JSON.stringify(each) }];
}

describe("an event stream", () => {
  test("writes each event on its own lines, whatever it contains", async () => {
    const nasty = ["a\nb\r\nc", "data: x\n\n", "\u2028\u2029\0", { id: "event: x" }, null, "😀\ud83d"];
    const url = await serverWith(async (outgoing) => await writeEvents(outgoing, frames(...nasty), options));
    const stream = readEventStream(await fetch(url), () => {});
    expect(stream.response.headers.get("x-some")).toBe("thing");
    const read = await stream.rest();
    expect(read.map(({ data }) => data)).toEqual(JSON.parse(JSON.stringify(nasty)));
    expect(read.map(({ id }) => id)).toEqual([0, undefined, 2, undefined, 4, undefined]);
  });

  test("sends its headers before the first event", async () => {
    const gate = Promise.withResolvers<void>();
    const url = await serverWith(
      async (outgoing) =>
        await writeEvents(
          outgoing,
          (async function* () {
            await gate.promise;
            yield [{ json: JSON.stringify(1) }];
          })(),
          options,
        ),
    );
    const response = await fetch(url);
    expect(response.status).toBe(200);
    gate.resolve();
    expect(await response.text()).toBe("data: 1\n\n");
  });

  test("sends a comment line when it is idle, so that the connection stays open", async () => {
    const gate = Promise.withResolvers<void>();
    const url = await serverWith(
      async (outgoing) =>
        await writeEvents(
          outgoing,
          (async function* () {
            yield [{ json: JSON.stringify(1) }];
            await gate.promise;
            yield [{ json: JSON.stringify(2) }];
          })(),
          { ...options, heartbeatMs: 10 },
        ),
    );
    const response = await fetch(url);
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    while (!text.includes(":\n\n")) text += (await reader.read()).value;
    gate.resolve();
    for (let read = await reader.read(); !read.done; read = await reader.read()) text += read.value;
    expect(text).toMatch(/^data: 1\n\n(:\n\n)+data: 2\n\n$/);
  });

  test("sends the comment line after 15 idle seconds, again and again", async () => {
    const gate = Promise.withResolvers<void>();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    undo.push(async () => vi.useRealTimers());
    const url = await serverWith(
      async (outgoing) =>
        await writeEvents(
          outgoing,
          (async function* () {
            yield [{ json: JSON.stringify(1) }];
            await gate.promise;
          })(),
          { ...options, heartbeatMs: limits.streamHeartbeatMs },
        ),
    );
    const response = await fetch(url);
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader.read()).value).toBe("data: 1\n\n");
    for (let times = 0; times < 3; times++) {
      let isIdle = true;
      const next = reader.read().then(({ value }) => ((isIdle = false), value));
      vi.advanceTimersByTime(14_999);
      // Long enough for a heartbeat to arrive.
      await (await fetch(await serverWith(async (outgoing) => void outgoing.end()))).text();
      expect(isIdle).toBe(true);
      vi.advanceTimersByTime(1);
      expect(await next).toBe(":\n\n");
    }
    gate.resolve();
    await reader.cancel();
  });

  test("keeps sending heartbeats when the wall clock is set back", async () => {
    const gate = Promise.withResolvers<void>();
    undo.push(async () => vi.useRealTimers());
    const url = await serverWith(
      async (outgoing) =>
        await writeEvents(
          outgoing,
          (async function* () {
            yield [{ json: JSON.stringify(1) }];
            vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 3_600_000 });
            await gate.promise;
          })(),
          { ...options, heartbeatMs: 10 },
        ),
    );
    const response = await fetch(url);
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    while (!text.includes(":\n\n:\n\n")) text += (await reader.read()).value;
    gate.resolve();
    await reader.cancel();
  });

  test("sends an error event without internal details if the source fails", async () => {
    const url = await serverWith(
      async (outgoing) =>
        await writeEvents(
          outgoing,
          (async function* () {
            yield [{ json: JSON.stringify(1) }];
            throw new Error("the secret path /etc/passwd");
          })(),
          options,
        ),
    );
    const text = await (await fetch(url)).text();
    expect(text).toBe('data: 1\n\nevent: error\ndata: {"code":"internal"}\n\n');
  });

  test("applies backpressure to its source", async () => {
    let pulled = 0;
    const big = "x".repeat(256 * 1024);
    const url = await serverWith(
      async (outgoing) =>
        await writeEvents(
          outgoing,
          (async function* () {
            for (; pulled < 1_000; pulled++) yield [{ json: JSON.stringify(big) }];
          })(),
          options,
        ),
    );
    const response = await fetch(url);
    const reader = response.body!.getReader();
    await reader.read();
    const settled = async () => {
      for (let before = -1; before !== pulled;) {
        before = pulled;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    };
    await settled();
    expect(pulled).toBeLessThan(100);
    await reader.cancel();
  });

  test("disconnects a client that reads nothing, and stops the source", async () => {
    const stopped = Promise.withResolvers<void>();
    const url = await serverWith(async (outgoing) => {
      const source = (async function* () {
        try {
          for (;;) yield [{ json: JSON.stringify("x".repeat(256 * 1024)) }];
        } finally {
          stopped.resolve();
        }
      })();
      await writeEvents(outgoing, source, { ...options, stalledMs: 50 });
    });
    const response = await fetch(url);
    await stopped.promise;
    await expect(response.text()).rejects.toThrow();
  });

  test("stops the source when the reader disconnects", async () => {
    const stopped = Promise.withResolvers<void>();
    const gone = new AbortController();
    const url = await serverWith(async (outgoing) => {
      outgoing.once("close", () => gone.abort());
      await writeEvents(
        outgoing,
        (async function* () {
          try {
            for (let n = 0; ; n++) {
              yield [{ json: JSON.stringify(n) }];
              await new Promise((resolve) => setTimeout(resolve, 5));
            }
          } finally {
            stopped.resolve();
          }
        })(),
        { ...options, signal: gone.signal },
      );
    });
    const disconnect = new AbortController();
    const response = await fetch(url, { signal: disconnect.signal });
    await response.body!.getReader().read();
    disconnect.abort();
    await stopped.promise;
  });
});

describe("a text stream", () => {
  const text = {
    headers: {},
    contentType: "text/plain; charset=utf-8",
    heartbeat: undefined,
    heartbeatMs: 1,
    stalledMs: 60_000,
    signal: never,
  };

  test("contains only the text", async () => {
    const url = await serverWith(
      async (outgoing) =>
        await writeText(
          outgoing,
          (async function* () {
            yield "Hello, ";
            yield "";
            yield "😀\n";
          })(),
          text,
        ),
    );
    const response = await fetch(url);
    expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(await response.text()).toBe("Hello, 😀\n");
  });

  test("closes the connection if the source fails", async () => {
    const url = await serverWith(
      async (outgoing) =>
        await writeText(
          outgoing,
          (async function* () {
            yield "Hello, ";
            throw new Error("it broke");
          })(),
          text,
        ),
    );
    await expect(fetch(url).then(async (response) => await response.text())).rejects.toThrow();
  });
});
