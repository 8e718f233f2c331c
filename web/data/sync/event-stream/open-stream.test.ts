import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { LiveMessage } from "#contract/changes.ts";
import type { Fetch } from "#web/data/call.ts";
import { CallError } from "#web/data/call-error.ts";
import { createOpenLine } from "./open-stream.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A service whose stream the test writes. */
function begun(answer?: Response) {
  const asked: { url: string; init: RequestInit }[] = [];
  let out: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({ start: (controller) => void (out = controller) });
  const fetch: Fetch = async (url, init) => {
    asked.push({ url, init });
    init.signal?.addEventListener("abort", () => {
      try {
        out?.error(init.signal?.reason);
      } catch {
        // It had ended already.
      }
    });
    return answer ?? new Response(body);
  };
  const heard: LiveMessage[] = [];
  const stop = new AbortController();
  const open = createOpenLine({ baseUrl: "", fetch });
  const ended = (after?: number, runs: { runId: string; after: number }[] = []) =>
    open(
      { after, runs },
      { Authorization: "Bearer x" },
      { heard: (message) => heard.push(message), alive: () => {} },
      stop.signal,
    ).catch((error: unknown) => error);
  const bytes = new TextEncoder();
  return {
    asked,
    heard,
    stop,
    ended,
    say: (text: string) => out?.enqueue(bytes.encode(text)),
    sayBytes: (part: Uint8Array) => out?.enqueue(part),
    close: () => out?.close(),
  };
}

const settle = async (ms = 0) => await vi.advanceTimersByTimeAsync(ms);
const hello = 'data: {"type":"hello","seq":4}\n\n';

test("asks from the last numbers, and says who it is and that it is our own app", async () => {
  const { ended, asked, close } = begun();
  const end = ended(7, [
    { runId: "run_a", after: 3 },
    { runId: "run_b", after: 0 },
  ]);
  await settle();
  close();
  await end;
  expect(asked[0]?.url).toBe(`/v1/live?after=7&runs=${encodeURIComponent("run_a:3,run_b:0")}`);
  expect(asked[0]?.init.headers).toEqual({ Authorization: "Bearer x", "Parlance-Client": "web" });
});

test("hears messages however they are cut on the way, also inside a character", async () => {
  const { ended, heard, say, sayBytes, close } = begun();
  const end = ended();
  await settle();
  say(hello.slice(0, 9));
  say(`${hello.slice(9)}id: 5\ndata: {"type":"change","seq":5,`);
  const rest = new TextEncoder().encode('"change":{"type":"thread-gone","thread_id":"é"}}\n\n');
  const cut = rest.indexOf(0xc3) + 1;
  sayBytes(rest.slice(0, cut));
  await settle();
  sayBytes(rest.slice(cut));
  await settle();
  close();
  await end;
  expect(heard).toEqual([
    { type: "hello", seq: 4 },
    { type: "change", seq: 5, change: { type: "thread-gone", thread_id: "é" } },
  ]);
});

test("knows whose a run's message is that does not say so", async () => {
  const { ended, heard, say, close } = begun();
  const end = ended();
  const said = (whose: string, seq: number) =>
    `data: {${whose}"seq":${seq},"event":{"type":"text-start","part":0}}\n\n`;
  await settle();
  const of = (runId: string) => `"type":"run","run_id":"${runId}",`;
  say(`${said(of("run_a"), 1)}${said("", 2)}${said(of("run_b"), 1)}${hello}${said("", 2)}`);
  await settle();
  close();
  await end;
  expect(heard.flatMap((message) => (message.type === "run" ? [[message.run_id, message.seq]] : []))).toEqual(
    [
      ["run_a", 1],
      ["run_a", 2],
      ["run_b", 1],
      ["run_b", 2],
    ],
  );
});

test("takes a line that says nothing for 40 s for dead, and a comment for a sign of life", async () => {
  const { ended, say } = begun();
  let over: unknown;
  void ended().then((error) => (over = error ?? "ended"));
  await settle();
  say(hello);
  for (let i = 0; i < 5; i++) {
    await settle(15_000);
    say(":\n\n");
  }
  await settle(39_000);
  expect(over).toBeUndefined();
  await settle(2_000);
  expect(over).toBeInstanceOf(CallError);
  expect((over as CallError).failure.code).toBe("network");
});

test("passes on that it was refused", async () => {
  const refusal = new Response(JSON.stringify({ code: "token-expired", message: "over" }), { status: 401 });
  expect(await begun(refusal).ended()).toMatchObject({ status: 401, failure: { code: "token-expired" } });
});

test("takes the service's word for a failure in the middle for a broken line", async () => {
  const { ended, say } = begun();
  const end = ended();
  await settle();
  say(`${hello}event: error\ndata: {"code":"internal"}\n\n`);
  await settle();
  expect(await end).toBeInstanceOf(CallError);
});

test("ends when it is told to", async () => {
  const { ended, stop, asked } = begun();
  const end = ended();
  await settle();
  stop.abort(new Error("elsewhere"));
  expect(await end).toMatchObject({ message: "elsewhere" });
  expect(asked[0]?.init.signal?.aborted).toBe(true);
});
