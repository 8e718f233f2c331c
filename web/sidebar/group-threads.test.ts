import { afterEach, describe, expect, it, vi } from "vitest";
import type { Thread } from "#contract/endpoints/threads.ts";
import { groupThreads, untilMidnightMs } from "./group-threads.ts";

function thread(id: string, lastMessageAt: string, isPinned = false): Thread {
  return {
    id,
    project_id: "p",
    workspace_id: "w",
    title: id,
    external_id: null,
    created_at: lastMessageAt,
    updated_at: lastMessageAt,
    last_message_at: lastMessageAt,
    is_archived: false,
    metadata: null,
    title_source: null,
    is_pinned: isPinned,
    deleted_at: null,
    assistant_id: null,
    model: null,
    reasoning_effort: null,
    local_only: false,
    active_run_id: null,
    needs_action: false,
    folder_id: null,
    tag_ids: [],
    allowed_tools: [],
    temporary_until: null,
  };
}

const shape = (threads: Thread[], now: string, timeZone: string) => {
  vi.stubEnv("TZ", timeZone);
  return groupThreads(threads, new Date(now)).map(({ name, threads: group }) => [
    name,
    ...group.map(({ id }) => id),
  ]);
};

afterEach(() => vi.unstubAllEnvs());

describe("groupThreads", () => {
  it("groups threads into pinned, today, yesterday, 7 days, 30 days and older, without empty groups", () => {
    const threads = [
      thread("now", "2026-03-10T11:00:00.000Z"),
      thread("pin", "2020-01-01T00:00:00.000Z", true),
      thread("yesterday", "2026-03-09T01:00:00.000Z"),
      thread("7 days", "2026-03-03T23:00:00.000Z"),
      thread("8 days", "2026-03-02T23:00:00.000Z"),
      thread("30 days", "2026-02-08T01:00:00.000Z"),
      thread("31 days", "2026-02-07T01:00:00.000Z"),
    ];
    expect(shape(threads, "2026-03-10T12:00:00.000Z", "UTC")).toEqual([
      ["pinned", "pin"],
      ["today", "now"],
      ["yesterday", "yesterday"],
      ["week", "7 days"],
      ["month", "8 days", "30 days"],
      ["older", "31 days"],
    ]);
    expect(shape([thread("a", "2026-03-10T11:00:00.000Z")], "2026-03-10T12:00:00.000Z", "UTC")).toEqual([
      ["today", "a"],
    ]);
  });

  it("counts calendar days in the person's time zone", () => {
    const late = [thread("late", "2026-06-01T21:30:00.000Z")];
    // Half past eleven in the evening in Berlin: an hour later it is yesterday there and still today in London.
    expect(shape(late, "2026-06-01T22:30:00.000Z", "Europe/Berlin")).toEqual([["yesterday", "late"]]);
    expect(shape(late, "2026-06-01T22:30:00.000Z", "Europe/London")).toEqual([["today", "late"]]);
    expect(shape(late, "2026-06-01T22:30:00.000Z", "Pacific/Kiritimati")).toEqual([["today", "late"]]);
  });

  it("handles days of 23 and 25 hours", () => {
    // Berlin: 29 March 2026 has 23 hours, 25 October 2026 has 25.
    const spring = [thread("a", "2026-03-28T23:30:00.000Z"), thread("b", "2026-03-28T22:30:00.000Z")];
    expect(shape(spring, "2026-03-29T21:30:00.000Z", "Europe/Berlin")).toEqual([
      ["today", "a"],
      ["yesterday", "b"],
    ]);
    const autumn = [thread("a", "2026-10-24T22:30:00.000Z"), thread("b", "2026-10-24T21:30:00.000Z")];
    expect(shape(autumn, "2026-10-25T22:45:00.000Z", "Europe/Berlin")).toEqual([
      ["today", "a"],
      ["yesterday", "b"],
    ]);
  });

  it("counts a message of tomorrow, from a clock that is ahead, as today's", () => {
    expect(shape([thread("ahead", "2026-03-11T00:30:00.000Z")], "2026-03-10T23:59:00.000Z", "UTC")).toEqual([
      ["today", "ahead"],
    ]);
  });

  it("keeps the given order", () => {
    const threads = [thread("b", "2026-03-10T09:00:00.000Z"), thread("a", "2026-03-10T10:00:00.000Z")];
    expect(shape(threads, "2026-03-10T12:00:00.000Z", "UTC")).toEqual([["today", "b", "a"]]);
  });
});

it("returns the time until midnight", () => {
  const evening = new Date(2026, 4, 5, 23, 59, 30);
  expect(untilMidnightMs(evening)).toBe(30_000);
});
