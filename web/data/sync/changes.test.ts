import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { api } from "#contract/api.ts";
import type { Thread } from "#contract/endpoints/threads.ts";
import { nouns } from "#contract/facts/nouns.ts";
import { deviceStorage } from "../drafts/device-storage.ts";
import { createChangeApplier } from "./changes.ts";
import { branchKey } from "../threads/branch-rows.ts";
import { threadKey, threadListKey, type CachedThreads } from "../threads/thread-list.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const thread = {
  id: "thread_a",
  title: "A",
  last_message_at: "2026-01-01T00:00:00.000Z",
  is_archived: false,
  temporary_until: null,
  deleted_at: null,
} as Thread;

function start(isSending = false) {
  const queries = new QueryClient();
  const invalidate = vi.spyOn(queries, "invalidateQueries");
  queries.setQueryData<CachedThreads>(threadListKey("regular"), { threads: [], hasMore: false });
  const sending = { now: isSending };
  const person = { id: "usr_ada" };
  const apply = createChangeApplier({ queries, userId: () => person.id, isSending: () => sending.now });
  const branchReads = () =>
    invalidate.mock.calls.filter(([filter]) => filter?.queryKey?.[0] === "branch").length;
  return { queries, apply, branchReads, sending, person };
}

const messagePut = {
  type: "message-put",
  thread_id: "thread_a",
  message_id: "msg_1",
  parent_id: null,
} as const;

test("puts a thread into the loaded lists only", () => {
  const { queries, apply } = start();
  apply({ type: "thread-put", thread });
  expect(queries.getQueryData<CachedThreads>(threadListKey("regular"))?.threads).toEqual([thread]);
  expect(queries.getQueryData(threadListKey("archived"))).toBeUndefined();
  expect(queries.getQueryData(threadKey("thread_a"))).toEqual(thread);
  apply({ type: "thread-gone", thread_id: "thread_a" });
  expect(queries.getQueryData<CachedThreads>(threadListKey("regular"))?.threads).toEqual([]);
});

test("changes a thread to which this browser sends a message a moment later, to its last state", () => {
  const { queries, apply, sending } = start(true);
  const shown = () => queries.getQueryData(threadKey("thread_a"));
  const threads = () => queries.getQueryData<CachedThreads>(threadListKey("regular"))?.threads;
  const renamed = { ...thread, title: "B" };
  apply({ type: "thread-put", thread });
  apply({ type: "thread-put", thread: renamed });
  expect([threads(), shown()]).toEqual([[], thread]);
  vi.advanceTimersByTime(250);
  expect([threads(), shown()]).toEqual([[renamed], renamed]);
  apply({ type: "thread-put", thread });
  sending.now = false;
  apply({ type: "thread-put", thread: renamed });
  vi.advanceTimersByTime(250);
  expect([threads(), shown()]).toEqual([[renamed], renamed]);
  sending.now = true;
  apply({ type: "thread-put", thread });
  apply({ type: "thread-gone", thread_id: "thread_a" });
  vi.advanceTimersByTime(250);
  expect(threads()).toEqual([]);
});

test("does not undo a change of a thread to which it sends a message, nor show it to the next user", () => {
  const { queries, apply, person } = start(true);
  queries.setQueryData(threadKey("thread_a"), thread);
  const pinned = { ...thread, is_pinned: true };
  apply({ type: "thread-put", thread: { ...thread, title: "B" } });
  queries.setQueryData(threadKey("thread_a"), pinned);
  vi.advanceTimersByTime(250);
  expect(queries.getQueryData(threadKey("thread_a"))).toEqual(pinned);
  vi.advanceTimersByTime(250);
  expect(queries.getQueryState(threadKey("thread_a"))?.isInvalidated).toBe(true);

  apply({ type: "thread-put", thread });
  person.id = "usr_ben";
  vi.advanceTimersByTime(250);
  expect(queries.getQueryData(threadKey("thread_a"))).toEqual(pinned);
});

test("forgets the panel of a thread that is gone", () => {
  const { apply } = start();
  deviceStorage.set("parlance.panels.thread_a@usr_ada", "{}");
  deviceStorage.set("parlance.panels.thread_b@usr_ada", "{}");
  apply({ type: "thread-gone", thread_id: "thread_a" });
  expect(deviceStorage.keys("parlance.panels.")).toEqual(["parlance.panels.thread_b@usr_ada"]);
});

test("reads a branch once for all changes that arrive together", () => {
  const { apply, branchReads } = start();
  for (const id of ["msg_1", "msg_2"]) apply({ ...messagePut, message_id: id });
  apply({ type: "run-put", thread_id: "thread_a", run_id: "run_1", reply_id: "msg_2", state: "running" });
  vi.advanceTimersByTime(10);
  expect(branchReads()).toBe(1);
});

test("reads the branch of a message that it is sending later, so that the first words come first", () => {
  const { apply, branchReads } = start(true);
  apply(messagePut);
  vi.advanceTimersByTime(200);
  expect(branchReads()).toBe(0);
  vi.advanceTimersByTime(50);
  expect(branchReads()).toBe(1);
});

test("reads a branch a few times a second during a series of changes, and once after the last one", () => {
  const { apply, branchReads } = start();
  for (let ms = 0; ms < 1_000; ms += 10) {
    apply(messagePut);
    vi.advanceTimersByTime(10);
  }
  expect(branchReads()).toBeLessThanOrEqual(5);
  const before = branchReads();
  apply(messagePut);
  vi.advanceTimersByTime(250);
  expect(branchReads()).toBeGreaterThan(before);
});

test("follows the user's own switch to another branch, and ignores that of others", () => {
  const { apply, branchReads } = start();
  apply({ type: "head-put", thread_id: "thread_a", user_id: "usr_ben", message_id: "msg_1" });
  vi.advanceTimersByTime(500);
  expect(branchReads()).toBe(0);
  apply({ type: "head-put", thread_id: "thread_a", user_id: "usr_ada", message_id: "msg_1" });
  vi.advanceTimersByTime(500);
  expect(branchReads()).toBe(1);
});

test("reads a list again if a thread changed while the list was being read", async () => {
  const { queries, apply } = start();
  const answers: Thread[][] = [[], [thread]];
  let reads = 0;
  const list = new QueryObserver(queries, {
    queryKey: threadListKey("regular"),
    queryFn: async (): Promise<CachedThreads> => {
      const threads = answers[reads++] ?? [];
      await new Promise((resolve) => setTimeout(resolve, 100));
      return { threads, hasMore: false };
    },
  });
  const stop = list.subscribe(() => {});
  await vi.advanceTimersByTimeAsync(50);
  apply({ type: "thread-put", thread });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(queries.getQueryData<CachedThreads>(threadListKey("regular"))?.threads).toEqual([thread]);
  expect(reads).toBe(2);
  stop();
});

test("repeats a visible search at once, and then once a second during a series of changes", async () => {
  const { queries, apply } = start();
  let searches = 0;
  const observer = new QueryObserver(queries, { queryKey: ["search", "heron"], queryFn: () => ++searches });
  const stop = observer.subscribe(() => {});
  await vi.advanceTimersByTimeAsync(5);
  expect(searches).toBe(1);
  apply({ type: "thread-put", thread });
  await vi.advanceTimersByTimeAsync(50);
  expect(searches).toBe(2);
  for (let ms = 0; ms < 5_000; ms += 10) {
    apply(messagePut);
    await vi.advanceTimersByTimeAsync(10);
  }
  await vi.advanceTimersByTimeAsync(1_000);
  expect(searches).toBeGreaterThanOrEqual(6);
  expect(searches).toBeLessThanOrEqual(8);
  // Neither a change that cannot affect results nor a change after unsubscribing repeats the search.
  const before = searches;
  apply({ type: "head-put", thread_id: "thread_a", user_id: "usr_ada", message_id: "msg_1" });
  await vi.advanceTimersByTimeAsync(2_000);
  expect(searches).toBe(before);
  stop();
  apply(messagePut);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(searches).toBe(before);
});

test("reads the library again when the user's own files change, and not for a colleague's", () => {
  const { queries, apply } = start();
  queries.setQueryData(["files", "", "newest"], { pages: [], pageParams: [] });
  const isStale = () => queries.getQueryState(["files", "", "newest"])?.isInvalidated;
  apply({ type: "files-put", user_id: "usr_ben" });
  vi.advanceTimersByTime(300);
  expect(isStale()).toBe(false);
  apply({ type: "files-put", user_id: "usr_ada" });
  vi.advanceTimersByTime(300);
  expect(isStale()).toBe(true);
});

test("reads single threads again when a folder or tag was renamed or deleted", () => {
  const { queries, apply } = start();
  queries.setQueryData(threadKey("thread_a"), thread);
  apply({ type: "labels-put" });
  vi.advanceTimersByTime(300);
  expect(queries.getQueryState(threadKey("thread_a"))?.isInvalidated).toBe(true);
  expect(queries.getQueryState(threadListKey("regular"))?.isInvalidated).toBe(true);
});

test("reads a branch that is not shown yet again when it changes during the request", async () => {
  const { queries, apply } = start();
  const queryKey = branchKey("thread_a");
  const reads = ["old", "new"];
  const queryFn = async () => {
    const rows = reads.shift();
    await new Promise((resolve) => setTimeout(resolve, 100));
    return rows;
  };
  const observer = new QueryObserver(queries, { queryKey, queryFn, staleTime: Infinity, enabled: false });
  observer.subscribe(() => {});
  const first = queries.fetchQuery({ queryKey, queryFn });
  apply(messagePut);
  await vi.advanceTimersByTimeAsync(100);
  expect(await first).toBe("old");
  observer.setOptions({ queryKey, queryFn, staleTime: Infinity, enabled: true });
  await vi.advanceTimersByTimeAsync(500);
  expect(queries.getQueryData(queryKey)).toBe("new");
});

test("reads the list of a noun again when the noun changed", () => {
  const { queries, apply } = start();
  const isRead = (name: string) => queries.getQueryState([name])?.isInvalidated === false;
  for (const { changes } of nouns)
    for (const type of changes) {
      const name = type.replace("-put", "");
      queries.setQueryData([name], {});
      queries.setQueryData(["models"], {});
      apply({ type });
      vi.advanceTimersByTime(250);
      expect([isRead(name), isRead("models")], type).toEqual([false, true]);
      expect(Object.keys(api), type).toContain(`${name}.list`);
    }
});
