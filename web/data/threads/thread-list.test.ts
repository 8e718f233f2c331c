import { expect, test } from "vitest";
import type { Thread } from "#contract/endpoints/threads.ts";
import { threadPageSize, withoutThread, withPage, withThread, type CachedThreads } from "./thread-list.ts";

function thread(id: string, minute: number, change: Partial<Thread> = {}): Thread {
  const at = new Date(Date.UTC(2026, 0, 1, 12, minute)).toISOString();
  return {
    id,
    project_id: "proj",
    workspace_id: "wsp",
    title: id,
    external_id: null,
    created_at: at,
    updated_at: at,
    last_message_at: at,
    is_archived: false,
    metadata: null,
    title_source: null,
    is_pinned: false,
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
    ...change,
  };
}

const list = (...threads: Thread[]): CachedThreads => ({ threads, hasMore: false });
const ids = ({ threads }: CachedThreads) => threads.map(({ id }) => id);
const three = list(thread("c", 3), thread("b", 2), thread("a", 1));

test("moves a thread up when it has a new message", () => {
  expect(ids(withThread(three, "regular", thread("a", 9)))).toEqual(["a", "c", "b"]);
});

test("inserts a new thread at its position", () => {
  expect(ids(withThread(three, "regular", thread("n", 2.5)))).toEqual(["c", "n", "b", "a"]);
  expect(ids(withThread(list(), "regular", thread("n", 1)))).toEqual(["n"]);
});

test("orders threads with equal times by id, as the server does", () => {
  expect(ids(withThread(three, "regular", thread("bb", 2)))).toEqual(["c", "bb", "b", "a"]);
});

test("moves a thread between the lists when it is archived, and removes it from both when it is deleted", () => {
  const archived = thread("b", 2, { is_archived: true });
  expect(ids(withThread(three, "regular", archived))).toEqual(["c", "a"]);
  expect(ids(withThread(list(), "archived", archived))).toEqual(["b"]);
  const deleted = thread("b", 2, { deleted_at: "2026-01-02T00:00:00.000Z" });
  expect(ids(withThread(three, "regular", deleted))).toEqual(["c", "a"]);
  expect(ids(withThread(list(archived), "archived", deleted))).toEqual([]);
});

test("does not add a thread below the loaded part", () => {
  const loaded = { ...three, hasMore: true };
  expect(ids(withThread(loaded, "regular", thread("z", 0)))).toEqual(["c", "b", "a"]);
  expect(ids(withThread({ ...three, hasMore: false }, "regular", thread("z", 0)))).toEqual([
    "c",
    "b",
    "a",
    "z",
  ]);
});

test("returns the same object if nothing changes", () => {
  expect(withoutThread(three, "unknown")).toBe(three);
  expect(withThread(three, "archived", thread("b", 2, { is_archived: false }))).not.toBe(undefined);
  expect(withThread(three, "regular", thread("z", 0, { is_archived: true }))).toBe(three);
});

test("adds a page without duplicates, and derives from its length whether there is more", () => {
  const page = Array.from({ length: threadPageSize }, (_, i) => thread(`p${i}`, -i));
  expect(withPage(three, [thread("a", 1), thread("z", 0)])).toEqual({
    threads: [...three.threads, thread("z", 0)],
    hasMore: false,
  });
  expect(withPage(three, page).hasMore).toBe(true);
});

test("moves a thread between its folder and the threads in no folder", () => {
  const sorted = thread("b", 2, { folder_id: "lbl_a" });
  expect(ids(withThread(three, "loose", sorted))).toEqual(["c", "a"]);
  expect(ids(withThread(three, "regular", sorted))).toEqual(["c", "b", "a"]);
  expect(ids(withThread(list(), "folder:lbl_a", sorted))).toEqual(["b"]);
  expect(ids(withThread(list(sorted), "folder:lbl_a", thread("b", 2)))).toEqual([]);
  expect(ids(withThread(list(thread("c", 3)), "loose", thread("b", 2)))).toEqual(["c", "b"]);
});

test("lists only pinned threads that are not archived as pinned, however old they are", () => {
  const pinned = list(thread("c", 3, { is_pinned: true }));
  expect(ids(withThread(pinned, "pinned", thread("a", 1, { is_pinned: true })))).toEqual(["c", "a"]);
  expect(ids(withThread(pinned, "pinned", thread("a", 1)))).toEqual(["c"]);
  expect(ids(withThread(pinned, "pinned", thread("c", 3)))).toEqual([]);
  expect(ids(withThread(pinned, "pinned", thread("c", 3, { is_pinned: true, is_archived: true })))).toEqual(
    [],
  );
});
