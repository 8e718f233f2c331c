import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { LiveMessage } from "#contract/changes.ts";
import { fold } from "#contract/fold.ts";
import type { NumberedRunEvent, RunEvent } from "#contract/run-events.ts";
import type { StreamPosition, OpenStream } from "./open-stream.ts";
import { createHub, type Hub } from "./hub.ts";
import type { FromHub } from "./tab-messages.ts";

const runEvents: RunEvent[] = [
  { type: "run-start", reply_id: "msg_r", model: "m", content: [] },
  { type: "text-start", part: 0 },
  { type: "text-delta", part: 0, text: "one " },
  { type: "text-delta", part: 0, text: "two " },
  { type: "text-delta", part: 0, text: "three" },
  { type: "text-end", part: 0 },
];
const runEnd: RunEvent = { type: "run-end", state: "completed", finish_reason: "stop", usage: {} };

describe("the hub", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function createTestHub() {
    const positions: StreamPosition[] = [];
    let send: (message: LiveMessage) => void = () => {};
    let open = 0;
    const openStream: OpenStream = async (position, _, handlers, signal) => {
      positions.push(position);
      open++;
      send = handlers.onMessage;
      send({ type: "hello", seq: position.after ?? 10 });
      await new Promise((_, reject) => {
        signal.addEventListener("abort", () => {
          open--;
          reject(signal.reason as Error);
        });
      });
    };
    const held = new Map<string, () => void>();
    const untilReleased = async (lock: string) =>
      await new Promise<void>((resolve) => held.set(lock, resolve));
    const hub = createHub({ open: openStream, untilReleased });
    return { hub, positions, held, send: (message: LiveMessage) => send(message), connections: () => open };
  }

  async function tab(hub: Hub, lock?: string) {
    const received: FromHub[] = [];
    const receive = hub.connect((message) => {
      received.push(message);
      if (message.type === "headers-request")
        receive({ type: "headers", requestId: message.requestId, headers: {} });
    });
    receive({ type: "join", lock });
    await vi.advanceTimersByTimeAsync(0);
    const events = (runId: string): NumberedRunEvent[] =>
      received.flatMap((message) =>
        message.type === "run-events" && message.runId === runId ? message.events : [],
      );
    return {
      receive,
      received,
      events,
      kinds: () => received.map((message) => message.type),
      async watch(...runs: [string, number][]) {
        receive({ type: "watch", runs: runs.map(([runId, after]) => ({ runId, after })) });
        await vi.advanceTimersByTimeAsync(0);
      },
    };
  }

  test("keeps one connection for ten tabs, and sends changes to all of them", async () => {
    const { hub, send, connections } = createTestHub();
    const tabs = [];
    for (let i = 0; i < 10; i++) tabs.push(await tab(hub));
    send({ type: "change", seq: 11, change: { type: "thread-gone", thread_id: "thread_x" } });
    expect(connections()).toBe(1);
    for (const one of tabs) expect(one.kinds()).toContain("change");
  });

  test("sends 'listening' once to each tab, so that it refreshes the rows that it read before", async () => {
    const { hub } = createTestHub();
    const first = await tab(hub);
    const late = await tab(hub);
    expect(first.kinds().filter((kind) => kind === "listening")).toHaveLength(1);
    expect(late.kinds().filter((kind) => kind === "listening")).toHaveLength(1);
  });

  test("gives a tab that joins in the middle of an answer the same events, without a gap or a repeat", async () => {
    const { hub, send } = createTestHub();
    const first = await tab(hub);
    await first.watch(["run_a", 0]);
    for (const [index, event] of runEvents.slice(0, 4).entries())
      send({ type: "run", run_id: "run_a", seq: index + 1, event });
    const late = await tab(hub);
    await late.watch(["run_a", 0]);
    for (const [index, event] of runEvents.slice(4).entries())
      send({ type: "run", run_id: "run_a", seq: index + 5, event });
    for (const one of [first, late]) {
      expect(one.events("run_a").map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6]);
      expect(fold(one.events("run_a").map(({ event }) => event)).parts).toEqual([
        { type: "text", text: "one two three" },
      ]);
    }
  });

  test("sends a run's events only to the tabs that show it", async () => {
    const { hub, send } = createTestHub();
    const first = await tab(hub);
    const other = await tab(hub);
    await first.watch(["run_a", 0]);
    send({ type: "run", run_id: "run_a", seq: 1, event: runEvents[0]! });
    expect(other.events("run_a")).toEqual([]);
  });

  test("follows a run from its first event, and stops when it has ended", async () => {
    const { hub, send, positions } = createTestHub();
    const first = await tab(hub);
    await first.watch(["run_a", 0]);
    expect(positions.at(-1)?.runs).toEqual([{ runId: "run_a", after: 0 }]);
    send({ type: "run", run_id: "run_a", seq: 1, event: runEvents[0]! });
    send({ type: "run", run_id: "run_a", seq: 2, event: runEnd });
    await first.watch(["run_a", 2], ["run_b", 0]);
    expect(positions.at(-1)?.runs).toEqual([{ runId: "run_b", after: 0 }]);
    const late = await tab(hub);
    await late.watch(["run_a", 0]);
    expect(late.events("run_a")).toHaveLength(2);
  });

  test("removes a tab whose lock is released, and closes the connection after the last one", async () => {
    const { hub, held, connections } = createTestHub();
    await tab(hub, "lock-1");
    await tab(hub, "lock-2");
    held.get("lock-1")?.();
    await vi.advanceTimersByTimeAsync(0);
    expect(connections()).toBe(1);
    held.get("lock-2")?.();
    await vi.advanceTimersByTimeAsync(0);
    expect(connections()).toBe(0);
  });

  test("removes a tab without locks after three silent minutes, and adds it again at its next message", async () => {
    const { hub, connections } = createTestHub();
    const suspended = await tab(hub);
    await vi.advanceTimersByTimeAsync(200_000);
    expect(connections()).toBe(0);
    suspended.receive({ type: "alive" });
    await vi.advanceTimersByTimeAsync(0);
    expect(connections()).toBe(1);
    expect(suspended.kinds().filter((kind) => kind === "listening")).toHaveLength(2);
  });

  test("requests headers from one tab at a time, and skips one that does not respond", async () => {
    const { hub, connections } = createTestHub();
    const unanswered: FromHub[] = [];
    hub.connect((message) => unanswered.push(message))({ type: "join", lock: undefined });
    await vi.advanceTimersByTimeAsync(0);
    const responsive = await tab(hub);
    expect(responsive.kinds()).not.toContain("headers-request");
    await vi.advanceTimersByTimeAsync(6_000);
    expect(connections()).toBe(1);
  });

  test("sends every tab the digest of what the person may use, also one that joins later", async () => {
    const { hub, send } = createTestHub();
    const first = await tab(hub);
    send({ type: "hello", seq: 10, access: "a" });
    expect(first.received.at(-1)).toEqual({ type: "access", access: "a" });
    send({ type: "access", access: "b" });
    expect(first.received.at(-1)).toEqual({ type: "access", access: "b" });
    const second = await tab(hub);
    expect(second.received.at(-1)).toEqual({ type: "access", access: "b" });
    first.receive({ type: "person-changed" });
    await vi.advanceTimersByTimeAsync(0);
    const third = await tab(hub);
    expect(third.kinds()).not.toContain("access");
  });

  test("restarts for another user and notifies every tab", async () => {
    const { hub, positions } = createTestHub();
    const first = await tab(hub);
    const second = await tab(hub);
    first.receive({ type: "person-changed" });
    await vi.advanceTimersByTimeAsync(0);
    expect(second.kinds()).toContain("person-changed");
    expect(positions.at(-1)?.after).toBeUndefined();
    expect(second.kinds().at(-1)).toBe("listening");
  });
});
