import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { RunEvent } from "#contract/run-events.ts";
import { createReplies } from "./replies.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function begun() {
  const watched: { runId: string; after: number }[][] = [];
  const ended: string[] = [];
  const frames: ((nowMs: number) => void)[] = [];
  const replies = createReplies({
    watch: (runs) => watched.push(runs),
    frame: (show, isUrgent) => (isUrgent === true ? show(0) : frames.push(show)),
    isPaced: () => true,
    ended: (runId) => ended.push(runId),
  });
  const draw = (nowMs = 0) => frames.splice(0).forEach((show) => show(nowMs));
  return { replies, watched, ended, frames, draw };
}

const events = (...list: RunEvent[]) => list.map((event, index) => ({ seq: index + 1, event }));
const start: RunEvent = { type: "run-start", reply_id: "msg_r", model: "some-model", content: [] };
const begin: RunEvent = { type: "text-start", part: 0 };
const delta = (text: string): RunEvent => ({ type: "text-delta", part: 0, text });
const end: RunEvent = { type: "run-end", state: "completed", finish_reason: "stop", usage: {} };

test("publishes a run's events once per frame, and its first word and its end at once", () => {
  const { replies, frames, draw } = begun();
  const text = () => replies.visible.get().get("run_a")?.reply.parts;
  replies.follow("run_a");
  const [first, second, third, fourth, ...others] = events(
    start,
    begin,
    delta("## "),
    delta("a"),
    delta("b"),
    delta("c"),
  );
  for (const one of [first, second, third]) replies.receive("run_a", [one!]);
  expect(text()).toBeUndefined();
  expect(frames).toHaveLength(1);
  replies.receive("run_a", [fourth!]);
  expect(text()).toEqual([{ type: "text", text: "## a" }]);
  draw();
  for (const one of others) replies.receive("run_a", [one]);
  expect(text()).toEqual([{ type: "text", text: "## a" }]);
  draw();
  expect(text()).toEqual([{ type: "text", text: "## abc" }]);
  replies.receive("run_a", [
    { seq: 7, event: delta("d") },
    { seq: 8, event: end },
  ]);
  expect(text()).toEqual([{ type: "text", text: "## abcd" }]);
});

test("keeps the identity of unchanged replies and parts", () => {
  const { replies, draw } = begun();
  replies.follow("run_a");
  replies.follow("run_b");
  replies.receive("run_a", events(start, begin, delta("a")));
  replies.receive("run_b", events(start, begin, delta("b"), { type: "text-start", part: 1 }));
  draw();
  const before = replies.visible.get();
  replies.receive("run_b", [{ seq: 5, event: { type: "text-delta", part: 1, text: "!" } }]);
  draw();
  const after = replies.visible.get();
  expect(after.get("run_a")).toBe(before.get("run_a"));
  expect(after.get("run_b")?.reply.parts[0]).toBe(before.get("run_b")?.reply.parts[0]);
  expect(after.get("run_b")?.reply.parts[1]).toEqual({ type: "text", text: "!" });
});

test("publishes an outline a frame after its text, later without words, and only when more than text has changed", () => {
  const { replies, draw } = begun();
  replies.follow("run_a");
  replies.receive("run_a", events(start, begin));
  draw();
  draw();
  const partsOf = () => replies.outlines.get().get("run_a")?.reply.parts;
  expect(partsOf()).toBeUndefined();
  vi.advanceTimersByTime(250);
  draw();
  expect(partsOf()).toEqual([{ type: "text", text: "" }]);
  replies.receive("run_a", [{ seq: 3, event: delta("a") }]);
  expect(replies.visible.get().get("run_a")?.reply.parts).toEqual([{ type: "text", text: "a" }]);
  expect(partsOf()).toEqual([{ type: "text", text: "" }]);
  draw();
  expect(partsOf()).toEqual([{ type: "text", text: "a" }]);
  const outlines = replies.outlines.get();
  replies.receive("run_a", [{ seq: 4, event: delta("b") }]);
  draw();
  draw();
  expect(replies.outlines.get()).toBe(outlines);
  replies.receive("run_a", [{ seq: 5, event: { type: "text-start", part: 1 } }]);
  draw();
  draw();
  expect(partsOf()).toEqual([
    { type: "text", text: "ab" },
    { type: "text", text: "" },
  ]);
  replies.receive("run_a", [{ seq: 6, event: end }]);
  draw();
  draw();
  expect(replies.outlines.get().get("run_a")?.reply.end?.state).toBe("completed");
});

test("reveals the text of a burst over several frames", () => {
  const { replies, frames, draw } = begun();
  const shown = () => replies.visible.get().get("run_a")?.reply.parts;
  replies.follow("run_a");
  replies.receive("run_a", events(start, begin, delta("a")));
  draw(0);
  replies.receive("run_a", [{ seq: 4, event: delta("b".repeat(30)) }]);
  draw(100);
  expect(shown()).not.toEqual([{ type: "text", text: `a${"b".repeat(30)}` }]);
  for (let nowMs = 116; frames.length > 0; nowMs += 16) draw(nowMs);
  expect(shown()).toEqual([{ type: "text", text: `a${"b".repeat(30)}` }]);
});

test("ignores repeated events, and requests missing ones", () => {
  const { replies, watched, draw } = begun();
  replies.follow("run_a");
  replies.receive("run_a", events(start, begin, delta("a")));
  replies.receive("run_a", events(start, begin, delta("a")));
  replies.receive("run_a", [{ seq: 5, event: delta("c") }]);
  expect(watched.at(-1)).toEqual([{ runId: "run_a", after: 3, isStarting: false }]);
  replies.receive("run_a", [
    { seq: 4, event: delta("b") },
    { seq: 5, event: delta("c") },
  ]);
  draw();
  expect(replies.visible.get().get("run_a")?.reply.parts).toEqual([{ type: "text", text: "abc" }]);
});

test("reports the end of a run, keeps its output, and stops following it", () => {
  const { replies, ended, watched, draw } = begun();
  replies.follow("run_a");
  replies.receive("run_a", events(start, begin, delta("a"), end));
  draw();
  expect(ended).toEqual(["run_a"]);
  expect(replies.visible.get().get("run_a")?.reply.end?.state).toBe("completed");
  replies.follow("run_b");
  expect(watched.at(-1)).toEqual([{ runId: "run_b", after: 0, isStarting: false }]);
});

test("follows a run that is starting, and as an active one later", () => {
  const { replies, watched } = begun();
  replies.follow("run_a", true);
  expect(watched.at(-1)).toEqual([{ runId: "run_a", after: 0, isStarting: true }]);
  replies.receive("run_a", events(start));
  replies.follow("run_a");
  expect(watched.at(-1)).toEqual([{ runId: "run_a", after: 1, isStarting: false }]);
});

test("stops following a while after the last follower has left", () => {
  const { replies, watched } = begun();
  const first = replies.follow("run_a");
  const second = replies.follow("run_a");
  first();
  first();
  vi.advanceTimersByTime(10_000);
  expect(watched.at(-1)).toEqual([{ runId: "run_a", after: 0, isStarting: false }]);
  second();
  vi.advanceTimersByTime(4_000);
  const third = replies.follow("run_a");
  vi.advanceTimersByTime(10_000);
  expect(watched.at(-1)).toEqual([{ runId: "run_a", after: 0, isStarting: false }]);
  third();
  vi.advanceTimersByTime(5_000);
  expect(watched.at(-1)).toEqual([]);
});
