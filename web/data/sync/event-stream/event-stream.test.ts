import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { LiveMessage } from "#contract/changes.ts";
import type { RunEvent } from "#contract/run-events.ts";
import { CallError, networkError } from "#web/data/call-error.ts";
import type { StreamPosition, OpenStream } from "./open-stream.ts";
import { createEventStream, type ConnectionState } from "./event-stream.ts";

/** A server that the test controls: each connection waits for the test to send messages, end it or fail it. */
function controlledServer() {
  const connections: Connection[] = [];
  const open: OpenStream = (position, headers, handlers, signal) =>
    new Promise((resolve, reject) => {
      connections.push({
        position,
        headers,
        send: handlers.onMessage,
        onActivity: handlers.onActivity,
        end: resolve,
        fail: reject,
        signal,
      });
      signal.addEventListener("abort", () => reject(signal.reason as Error));
    });
  return { open, connections, last: () => connections.at(-1)! };
}

type Connection = {
  position: StreamPosition;
  headers: Record<string, string>;
  send: (message: LiveMessage) => void;
  onActivity: () => void;
  end: () => void;
  fail: (error: Error) => void;
  signal: AbortSignal;
};

const change = (seq: number): LiveMessage => ({
  type: "change",
  seq,
  change: { type: "thread-gone", thread_id: `thread_${seq}` },
});
const text = (runId: string, seq: number): LiveMessage => ({
  type: "run",
  run_id: runId,
  seq,
  event: { type: "text-delta", part: 0, text: String(seq) } satisfies RunEvent,
});
const refusal = () =>
  new CallError({ code: "token-expired", serverMessage: "over", retry: false }, { status: 401 });

describe("the event stream", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  async function start() {
    const server = controlledServer();
    const received: LiveMessage[] = [];
    const states: ConnectionState[] = [];
    const headerRequests: boolean[] = [];
    const stream = createEventStream({
      open: server.open,
      id: "str_a",
      headers: async (refused) => {
        headerRequests.push(refused);
        return {};
      },
      onMessage: (message) => received.push(message),
      onState: (state) => states.push(state),
      random: () => 1,
    });
    await vi.advanceTimersByTimeAsync(0);
    const follow = (...runIds: string[]) => stream.follow(new Set(runIds), new Set(runIds));
    return { ...server, stream, follow, received, states, headerRequests };
  }

  test("starts at the current position of the feed", async () => {
    const { last, states } = await start();
    expect(last().position).toEqual({ id: "str_a", after: undefined, runs: [] });
    last().send({ type: "hello", seq: 7 });
    expect(states).toEqual(["connecting", "online"]);
  });

  test("resumes after the last received change when the connection breaks", async () => {
    const { last, connections } = await start();
    last().send({ type: "hello", seq: 7 });
    last().send(change(8));
    last().send(change(9));
    last().fail(networkError("cut"));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(connections).toHaveLength(2);
    expect(last().position.after).toBe(9);
  });

  test("passes each message on once", async () => {
    const { last, received, follow } = await start();
    follow("run_a");
    await vi.advanceTimersByTimeAsync(0);
    last().send({ type: "hello", seq: 7 });
    for (const message of [change(8), change(8), change(7), text("run_a", 1), text("run_a", 1), change(9)])
      last().send(message);
    expect(received.map((message) => ("seq" in message ? message.seq : undefined))).toEqual([7, 8, 1, 9]);
  });

  test("reconnects at once for a run that becomes visible, and resumes each run after its last number", async () => {
    const { last, connections, follow } = await start();
    follow("run_a");
    await vi.advanceTimersByTimeAsync(0);
    last().send({ type: "hello", seq: 7 });
    last().send(text("run_a", 1));
    last().send(text("run_a", 2));
    last().send(change(8));
    follow("run_a", "run_b");
    await vi.advanceTimersByTimeAsync(0);
    expect(connections).toHaveLength(3);
    expect(last().position).toEqual({
      id: "str_a",
      after: 8,
      runs: [
        { runId: "run_a", after: 2 },
        { runId: "run_b", after: 0 },
      ],
    });
  });

  test("receives a run that is started with its id on the same connection, and requests one that was not", async () => {
    const { last, connections, received, stream, follow } = await start();
    stream.follow(new Set(["run_a", "run_b"]), new Set());
    last().send({ type: "hello", seq: 7 });
    const startedWith = (runId: string, stream_id: string, seq: number): LiveMessage => ({
      type: "change",
      seq,
      change: { type: "run-put", thread_id: "t", run_id: runId, reply_id: "r", state: "running", stream_id },
    });
    last().send(startedWith("run_a", "str_a", 8));
    last().send(startedWith("run_b", "str_other", 9));
    last().send(text("run_a", 1));
    expect(received.at(-1)).toEqual(text("run_a", 1));
    follow("run_a");
    await vi.advanceTimersByTimeAsync(0);
    expect(connections).toHaveLength(1);
    follow("run_a", "run_b");
    await vi.advanceTimersByTimeAsync(0);
    expect(last().position.runs).toEqual([
      { runId: "run_a", after: 1 },
      { runId: "run_b", after: 0 },
    ]);
  });

  test("requests a run whose events it may have missed: one that was not followed when it started, or for a while", async () => {
    const { last, connections, follow } = await start();
    last().send({ type: "hello", seq: 7 });
    last().send({
      type: "change",
      seq: 8,
      change: {
        type: "run-put",
        thread_id: "t",
        run_id: "run_a",
        reply_id: "r",
        state: "running",
        stream_id: "str_a",
      },
    });
    last().send(text("run_a", 1));
    follow("run_a");
    await vi.advanceTimersByTimeAsync(0);
    expect(last().position.runs).toEqual([{ runId: "run_a", after: 0 }]);
    last().send(text("run_a", 1));
    follow();
    last().send(text("run_a", 2));
    expect(connections).toHaveLength(2);
    follow("run_a");
    await vi.advanceTimersByTimeAsync(0);
    expect(connections).toHaveLength(3);
    expect(last().position.runs).toEqual([{ runId: "run_a", after: 0 }]);
  });

  test("keeps the connection when a run is no longer visible, and leaves it out of the next one", async () => {
    const { last, connections, received, follow } = await start();
    follow("run_a", "run_b");
    await vi.advanceTimersByTimeAsync(0);
    follow("run_b");
    await vi.advanceTimersByTimeAsync(0);
    expect(connections).toHaveLength(2);
    last().send(text("run_a", 1));
    expect(received).toEqual([]);
    last().fail(networkError("cut"));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(last().position.runs).toEqual([{ runId: "run_b", after: 0 }]);
  });

  test("waits longer each time, and reports offline after the second failure", async () => {
    const { last, connections, states } = await start();
    for (const pauseMs of [1_000, 2_000, 4_000, 5_000, 5_000]) {
      const before = connections.length;
      last().fail(networkError("down"));
      await vi.advanceTimersByTimeAsync(pauseMs - 1);
      expect(connections).toHaveLength(before);
      await vi.advanceTimersByTimeAsync(1);
      expect(connections).toHaveLength(before + 1);
    }
    expect(states.slice(0, 3)).toEqual(["connecting", "connecting", "offline"]);
  });

  test("retries at once when the network is back", async () => {
    const { last, connections, stream } = await start();
    for (let i = 0; i < 5; i++) {
      last().fail(networkError("down"));
      await vi.advanceTimersByTimeAsync(15_000);
    }
    last().fail(networkError("down"));
    await vi.advanceTimersByTimeAsync(10);
    const before = connections.length;
    stream.checkNow();
    await vi.advanceTimersByTimeAsync(0);
    expect(connections).toHaveLength(before + 1);
  });

  test("tries again at once when the network is back and an attempt has no response", async () => {
    const { connections, stream } = await start();
    await vi.advanceTimersByTimeAsync(1_000);
    stream.checkNow();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(connections).toHaveLength(1);
    stream.checkNow();
    await vi.advanceTimersByTimeAsync(0);
    expect(connections).toHaveLength(2);
    expect(connections[0]?.signal.aborted).toBe(true);
  });

  test("reconnects when it is checked after more than a heartbeat of silence", async () => {
    const { last, connections, stream } = await start();
    last().send({ type: "hello", seq: 1 });
    await vi.advanceTimersByTimeAsync(10_000);
    stream.checkNow();
    await vi.advanceTimersByTimeAsync(0);
    expect(connections).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(15_000);
    stream.checkNow();
    await vi.advanceTimersByTimeAsync(0);
    expect(connections).toHaveLength(2);
    expect(connections[0]?.signal.aborted).toBe(true);
  });

  test("renews a refused credential at once, but only once in a row", async () => {
    const { last, connections, headerRequests } = await start();
    last().fail(refusal());
    await vi.advanceTimersByTimeAsync(0);
    expect(connections).toHaveLength(2);
    expect(headerRequests).toEqual([false, true]);
    last().fail(refusal());
    await vi.advanceTimersByTimeAsync(0);
    expect(connections).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(headerRequests).toEqual([false, true, false]);
  });

  test("resumes at the position that a reset names", async () => {
    const { last, received } = await start();
    last().send({ type: "hello", seq: 1 });
    last().send({ type: "reset", seq: 900 });
    last().send(change(901));
    last().end();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(received.map((message) => message.type)).toEqual(["hello", "reset", "change"]);
    expect(last().position.after).toBe(901);
  });

  test("starts at the current position for another user", async () => {
    const { last, stream } = await start();
    last().send({ type: "hello", seq: 7 });
    stream.restart();
    await vi.advanceTimersByTimeAsync(0);
    expect(last().position.after).toBeUndefined();
  });

  test("does not reconnect after it is stopped", async () => {
    const { connections, stream } = await start();
    stream.stop();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(connections).toHaveLength(1);
    expect(connections[0]?.signal.aborted).toBe(true);
  });
});
