import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { LiveMessage } from "#contract/changes.ts";
import { fold } from "#contract/fold.ts";
import type { NumberedRunEvent, RunEvent } from "#contract/run-events.ts";
import type { LinePosition, OpenLine } from "./open-stream.ts";
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

  function withService() {
    const positions: LinePosition[] = [];
    let say: (message: LiveMessage) => void = () => {};
    let open = 0;
    const openLine: OpenLine = async (position, _, on, signal) => {
      positions.push(position);
      open++;
      say = on.heard;
      say({ type: "hello", seq: position.after ?? 10 });
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
    const hub = createHub({ open: openLine, untilReleased });
    return { hub, positions, held, say: (message: LiveMessage) => say(message), connections: () => open };
  }

  async function tab(hub: Hub, lock?: string) {
    const heard: FromHub[] = [];
    const link = hub.connect((message) => {
      heard.push(message);
      if (message.type === "headers-wanted")
        link.receive({ type: "headers", request: message.request, headers: {} });
    });
    link.receive({ type: "join", lock });
    await vi.advanceTimersByTimeAsync(0);
    const events = (runId: string): NumberedRunEvent[] =>
      heard.flatMap((message) =>
        message.type === "run-events" && message.runId === runId ? message.events : [],
      );
    return {
      ...link,
      heard,
      events,
      kinds: () => heard.map((message) => message.type),
      async watch(...runs: [string, number][]) {
        link.receive({ type: "watch", runs: runs.map(([runId, after]) => ({ runId, after })) });
        await vi.advanceTimersByTimeAsync(0);
      },
    };
  }

  test("keeps one connection for ten tabs, and all of them hear", async () => {
    const { hub, say, connections } = withService();
    const tabs = [];
    for (let i = 0; i < 10; i++) tabs.push(await tab(hub));
    say({ type: "change", seq: 11, change: { type: "thread-gone", thread_id: "thread_x" } });
    expect(connections()).toBe(1);
    for (const one of tabs) expect(one.kinds()).toContain("change");
  });

  test("tells each tab once that it listens, so that it knows which rows may be stale", async () => {
    const { hub } = withService();
    const first = await tab(hub);
    const late = await tab(hub);
    expect(first.kinds().filter((kind) => kind === "listening")).toHaveLength(1);
    expect(late.kinds().filter((kind) => kind === "listening")).toHaveLength(1);
  });

  test("gives a tab that comes in mid-answer the same events, without a gap or a repeat", async () => {
    const { hub, say } = withService();
    const first = await tab(hub);
    await first.watch(["run_a", 0]);
    for (const [index, event] of runEvents.slice(0, 4).entries())
      say({ type: "run", run_id: "run_a", seq: index + 1, event });
    const late = await tab(hub);
    await late.watch(["run_a", 0]);
    for (const [index, event] of runEvents.slice(4).entries())
      say({ type: "run", run_id: "run_a", seq: index + 5, event });
    for (const one of [first, late]) {
      expect(one.events("run_a").map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6]);
      expect(fold(one.events("run_a").map(({ event }) => event)).parts).toEqual([
        { type: "text", text: "one two three" },
      ]);
    }
  });

  test("tells a run's events only to the tabs that show it", async () => {
    const { hub, say } = withService();
    const first = await tab(hub);
    const other = await tab(hub);
    await first.watch(["run_a", 0]);
    say({ type: "run", run_id: "run_a", seq: 1, event: runEvents[0]! });
    expect(other.events("run_a")).toEqual([]);
  });

  test("asks for a run from its first event, and no more for one that has ended", async () => {
    const { hub, say, positions } = withService();
    const first = await tab(hub);
    await first.watch(["run_a", 0]);
    expect(positions.at(-1)?.runs).toEqual([{ runId: "run_a", after: 0 }]);
    say({ type: "run", run_id: "run_a", seq: 1, event: runEvents[0]! });
    say({ type: "run", run_id: "run_a", seq: 2, event: runEnd });
    await first.watch(["run_a", 2], ["run_b", 0]);
    expect(positions.at(-1)?.runs).toEqual([{ runId: "run_b", after: 0 }]);
    const late = await tab(hub);
    await late.watch(["run_a", 0]);
    expect(late.events("run_a")).toHaveLength(2);
  });

  test("notices by its lock that a tab is gone, and closes the line after the last", async () => {
    const { hub, held, connections } = withService();
    await tab(hub, "lock-1");
    await tab(hub, "lock-2");
    held.get("lock-1")?.();
    await vi.advanceTimersByTimeAsync(0);
    expect(connections()).toBe(1);
    held.get("lock-2")?.();
    await vi.advanceTimersByTimeAsync(0);
    expect(connections()).toBe(0);
  });

  test("takes a tab without locks for gone after three silent minutes, and back when it speaks again", async () => {
    const { hub, connections } = withService();
    const sleeper = await tab(hub);
    await vi.advanceTimersByTimeAsync(200_000);
    expect(connections()).toBe(0);
    sleeper.receive({ type: "alive" });
    await vi.advanceTimersByTimeAsync(0);
    expect(connections()).toBe(1);
    expect(sleeper.kinds().filter((kind) => kind === "listening")).toHaveLength(2);
  });

  test("asks one tab at a time who it is, and passes over one that sleeps", async () => {
    const { hub, connections } = withService();
    const asleep: FromHub[] = [];
    hub.connect((message) => asleep.push(message)).receive({ type: "join", lock: undefined });
    await vi.advanceTimersByTimeAsync(0);
    const awake = await tab(hub);
    expect(awake.kinds()).not.toContain("headers-wanted");
    await vi.advanceTimersByTimeAsync(6_000);
    expect(connections()).toBe(1);
  });

  test("starts afresh for another person and tells every tab", async () => {
    const { hub, positions } = withService();
    const first = await tab(hub);
    const second = await tab(hub);
    first.receive({ type: "person-changed" });
    await vi.advanceTimersByTimeAsync(0);
    expect(second.kinds()).toContain("person-changed");
    expect(positions.at(-1)?.after).toBeUndefined();
    expect(second.kinds().at(-1)).toBe("listening");
  });
});
