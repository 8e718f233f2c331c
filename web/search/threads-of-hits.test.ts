import { expect, test } from "vitest";
import { groupByThread } from "./threads-of-hits.ts";

const hit = (thread_id: string, created_at: string) => ({
  thread_id,
  title: thread_id.toUpperCase(),
  is_archived: thread_id === "b",
  created_at,
  shared_by: thread_id === "c" ? { name: "Ada" } : null,
});

test("lists each own thread once, with the data of its first hit", () => {
  expect(groupByThread([hit("b", "3"), hit("a", "2"), hit("c", "1"), hit("b", "1")])).toEqual([
    { id: "b", title: "B", is_archived: true, created_at: "3" },
    { id: "a", title: "A", is_archived: false, created_at: "2" },
  ]);
  expect(groupByThread([])).toEqual([]);
});
