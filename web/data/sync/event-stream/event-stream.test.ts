import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { LiveMessage } from "#contract/changes.ts";
import type { RunEvent } from "#contract/run-events.ts";
import { CallError, networkError } from "#web/data/call-error.ts";
import type { LinePosition, OpenLine } from "./open-stream.ts";
import { createLine, type LineState } from "./event-stream.ts";

/** A service that the test plays: each opening of the line waits for what the test says. */
function playedService() {
  const openings: Opening[] = [];
  const open: OpenLine = (position, headers, on, signal) =>
    new Promise((resolve, reject) => {
      openings.push({
        position,
        headers,
        say: on.heard,
        alive: on.alive,
        end: resolve,
        fail: reject,
        signal,
      });
      signal.addEventListener("abort", () => reject(signal.reason as Error));
    });
  return { open, openings, last: () => openings.at(-1)! };
}

type Opening = {
  position: LinePosition;
  headers: Record<string, string>;
  say: (message: LiveMessage) => void;
  alive: () => void;
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
const refusal = () => new CallError({ code: "token-expired", said: "over", retry: false }, { status: 401 });

describe("the line", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  async function begun() {
    const service = playedService();
    const heard: LiveMessage[] = [];
    const states: LineState[] = [];
    const asked: boolean[] = [];
    const line = createLine({
      open: service.open,
      headers: async (refused) => {
        asked.push(refused);
        return {};
      },
      heard: (message) => heard.push(message),
      stateIs: (state) => states.push(state),
      random: () => 1,
    });
    await vi.advanceTimersByTimeAsync(0);
    return { ...service, line, heard, states, asked };
  }

  test("begins with what happens from now on", async () => {
    const { last, states } = await begun();
    expect(last().position).toEqual({ after: undefined, runs: [] });
    last().say({ type: "hello", seq: 7 });
    expect(states).toEqual(["connecting", "online"]);
  });

  test("goes on after a break from the last change it heard", async () => {
    const { last, openings } = await begun();
    last().say({ type: "hello", seq: 7 });
    last().say(change(8));
    last().say(change(9));
    last().fail(networkError("cut"));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(openings).toHaveLength(2);
    expect(last().position.after).toBe(9);
  });

  test("passes nothing on twice", async () => {
    const { last, heard, line } = await begun();
    line.follow(new Set(["run_a"]));
    await vi.advanceTimersByTimeAsync(0);
    last().say({ type: "hello", seq: 7 });
    for (const message of [change(8), change(8), change(7), text("run_a", 1), text("run_a", 1), change(9)])
      last().say(message);
    expect(heard.map((message) => ("seq" in message ? message.seq : undefined))).toEqual([7, 8, 1, 9]);
  });

  test("opens anew at once for a run that comes into view, each run from its last number", async () => {
    const { last, openings, line } = await begun();
    line.follow(new Set(["run_a"]));
    await vi.advanceTimersByTimeAsync(0);
    last().say({ type: "hello", seq: 7 });
    last().say(text("run_a", 1));
    last().say(text("run_a", 2));
    last().say(change(8));
    line.follow(new Set(["run_a", "run_b"]));
    await vi.advanceTimersByTimeAsync(0);
    expect(openings).toHaveLength(3);
    expect(last().position).toEqual({
      after: 8,
      runs: [
        { runId: "run_a", after: 2 },
        { runId: "run_b", after: 0 },
      ],
    });
  });

  test("lets a run that left the view ride along, and leaves it out at the next opening", async () => {
    const { last, openings, line, heard } = await begun();
    line.follow(new Set(["run_a", "run_b"]));
    await vi.advanceTimersByTimeAsync(0);
    line.follow(new Set(["run_b"]));
    await vi.advanceTimersByTimeAsync(0);
    expect(openings).toHaveLength(2);
    last().say(text("run_a", 1));
    expect(heard).toEqual([]);
    last().fail(networkError("cut"));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(last().position.runs).toEqual([{ runId: "run_b", after: 0 }]);
  });

  test("waits longer each time, and says offline once trying has failed", async () => {
    const { last, openings, states } = await begun();
    for (const pauseMs of [1_000, 2_000, 4_000, 8_000, 15_000, 15_000]) {
      const before = openings.length;
      last().fail(networkError("down"));
      await vi.advanceTimersByTimeAsync(pauseMs - 1);
      expect(openings).toHaveLength(before);
      await vi.advanceTimersByTimeAsync(1);
      expect(openings).toHaveLength(before + 1);
    }
    expect(states.slice(0, 3)).toEqual(["connecting", "connecting", "offline"]);
  });

  test("does not wait when the network is back", async () => {
    const { last, openings, line } = await begun();
    for (let i = 0; i < 5; i++) {
      last().fail(networkError("down"));
      await vi.advanceTimersByTimeAsync(15_000);
    }
    last().fail(networkError("down"));
    await vi.advanceTimersByTimeAsync(10);
    const before = openings.length;
    line.nudge();
    await vi.advanceTimersByTimeAsync(0);
    expect(openings).toHaveLength(before + 1);
  });

  test("doubts a line that was silent for longer than a heartbeat when somebody looks", async () => {
    const { last, openings, line } = await begun();
    last().say({ type: "hello", seq: 1 });
    await vi.advanceTimersByTimeAsync(10_000);
    line.nudge();
    await vi.advanceTimersByTimeAsync(0);
    expect(openings).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(15_000);
    line.nudge();
    await vi.advanceTimersByTimeAsync(0);
    expect(openings).toHaveLength(2);
    expect(openings[0]?.signal.aborted).toBe(true);
  });

  test("renews a refused credential at once, but only once in a row", async () => {
    const { last, openings, asked } = await begun();
    last().fail(refusal());
    await vi.advanceTimersByTimeAsync(0);
    expect(openings).toHaveLength(2);
    expect(asked).toEqual([false, true]);
    last().fail(refusal());
    await vi.advanceTimersByTimeAsync(0);
    expect(openings).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(asked).toEqual([false, true, false]);
  });

  test("goes on from where a reset says", async () => {
    const { last, heard } = await begun();
    last().say({ type: "hello", seq: 1 });
    last().say({ type: "reset", seq: 900 });
    last().say(change(901));
    last().end();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(heard.map((message) => message.type)).toEqual(["hello", "reset", "change"]);
    expect(last().position.after).toBe(901);
  });

  test("starts from now for another person", async () => {
    const { last, line } = await begun();
    last().say({ type: "hello", seq: 7 });
    line.restart();
    await vi.advanceTimersByTimeAsync(0);
    expect(last().position.after).toBeUndefined();
  });

  test("stays stopped", async () => {
    const { openings, line } = await begun();
    line.stop();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(openings).toHaveLength(1);
    expect(openings[0]?.signal.aborted).toBe(true);
  });
});
