import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { LiveMessage } from "#contract/changes.ts";
import type { Fetch } from "#web/data/call.ts";
import { CallError } from "#web/data/call-error.ts";
import { createOpenStream } from "./open-stream.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A server whose stream the test writes. */
function start(answer?: Response) {
  const requests: { url: string; init: RequestInit }[] = [];
  let out: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({ start: (controller) => void (out = controller) });
  const fetch: Fetch = async (url, init) => {
    requests.push({ url, init });
    init.signal?.addEventListener("abort", () => {
      try {
        out?.error(init.signal?.reason);
      } catch {
        // The stream had already ended.
      }
    });
    return answer ?? new Response(body);
  };
  const received: LiveMessage[] = [];
  const stop = new AbortController();
  const open = createOpenStream({ baseUrl: "", fetch });
  const ended = (after?: number, runs: { runId: string; after: number }[] = []) =>
    open(
      { id: "str_a", after, runs },
      { Authorization: "Bearer x" },
      { onMessage: (message) => received.push(message), onActivity: () => {} },
      stop.signal,
    ).catch((error: unknown) => error);
  const bytes = new TextEncoder();
  return {
    requests,
    received,
    stop,
    ended,
    send: (text: string) => out?.enqueue(bytes.encode(text)),
    sendBytes: (part: Uint8Array) => out?.enqueue(part),
    close: () => out?.close(),
  };
}

const settle = async (ms = 0) => await vi.advanceTimersByTimeAsync(ms);
const hello = 'data: {"type":"hello","seq":4}\n\n';

test("requests everything after the last numbers, with the auth and client headers", async () => {
  const { ended, requests, close } = start();
  const end = ended(7, [
    { runId: "run_a", after: 3 },
    { runId: "run_b", after: 0 },
  ]);
  await settle();
  close();
  await end;
  expect(requests[0]?.url).toBe(
    `/v1/live?stream_id=str_a&after=7&runs=${encodeURIComponent("run_a:3,run_b:0")}`,
  );
  expect(requests[0]?.init.headers).toEqual({ Authorization: "Bearer x", "Parlance-Client": "web" });
});

test("parses messages however the network splits them, also inside a character", async () => {
  const { ended, received, send, sendBytes, close } = start();
  const end = ended();
  await settle();
  send(hello.slice(0, 9));
  send(`${hello.slice(9)}id: 5\ndata: {"type":"change","seq":5,`);
  const rest = new TextEncoder().encode('"change":{"type":"thread-gone","thread_id":"é"}}\n\n');
  const cut = rest.indexOf(0xc3) + 1;
  sendBytes(rest.slice(0, cut));
  await settle();
  sendBytes(rest.slice(cut));
  await settle();
  close();
  await end;
  expect(received).toEqual([
    { type: "hello", seq: 4 },
    { type: "change", seq: 5, change: { type: "thread-gone", thread_id: "é" } },
  ]);
});

test("adds the run id to a message that omits it", async () => {
  const { ended, received, send, close } = start();
  const end = ended();
  const runMessage = (prefix: string, seq: number) =>
    `data: {${prefix}"seq":${seq},"event":{"type":"text-start","part":0}}\n\n`;
  await settle();
  const of = (runId: string) => `"type":"run","run_id":"${runId}",`;
  send(
    `${runMessage(of("run_a"), 1)}${runMessage("", 2)}${runMessage(of("run_b"), 1)}${hello}${runMessage("", 2)}`,
  );
  await settle();
  close();
  await end;
  expect(
    received.flatMap((message) => (message.type === "run" ? [[message.run_id, message.seq]] : [])),
  ).toEqual([
    ["run_a", 1],
    ["run_a", 2],
    ["run_b", 1],
    ["run_b", 2],
  ]);
});

test("fails after 40 s of silence, and counts a comment as activity", async () => {
  const { ended, send } = start();
  let over: unknown;
  void ended().then((error) => (over = error ?? "ended"));
  await settle();
  send(hello);
  for (let i = 0; i < 5; i++) {
    await settle(15_000);
    send(":\n\n");
  }
  await settle(39_000);
  expect(over).toBeUndefined();
  await settle(2_000);
  expect(over).toBeInstanceOf(CallError);
  expect((over as CallError).failure.code).toBe("network");
});

test("throws the refusal of the server", async () => {
  const refusal = new Response(JSON.stringify({ code: "token-expired", message: "over" }), { status: 401 });
  expect(await start(refusal).ended()).toMatchObject({ status: 401, failure: { code: "token-expired" } });
});

test("fails on an error event in the middle of the stream", async () => {
  const { ended, send } = start();
  const end = ended();
  await settle();
  send(`${hello}event: error\ndata: {"code":"internal"}\n\n`);
  await settle();
  expect(await end).toBeInstanceOf(CallError);
});

test("ends when its signal is aborted", async () => {
  const { ended, stop, requests } = start();
  const end = ended();
  await settle();
  stop.abort(new Error("elsewhere"));
  expect(await end).toMatchObject({ message: "elsewhere" });
  expect(requests[0]?.init.signal?.aborted).toBe(true);
});
