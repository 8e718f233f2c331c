import { QueryClient } from "@tanstack/react-query";
import { expect, test } from "vitest";
import type { Thread } from "#contract/endpoints/threads.ts";
import { putThread } from "../threads/thread-cache.ts";
import { threadListKey } from "../threads/thread-list.ts";
import { watchAnswers } from "./watch-answers.ts";

function watched(): { queries: QueryClient; ended: string[]; stop: () => void } {
  const queries = new QueryClient();
  const ended: string[] = [];
  return { queries, ended, stop: watchAnswers(queries, ({ id }) => ended.push(id)) };
}

const thread = (id: string, runId: string | null, over: Partial<Thread> = {}) =>
  ({
    id,
    active_run_id: runId,
    is_archived: false,
    deleted_at: null,
    last_message_at: "",
    ...over,
  }) as Thread;

test("reports the end of an answer once, even if its thread is in several lists", () => {
  const { queries, ended, stop } = watched();
  const listed = { threads: [thread("thr_a", "run_1")], hasMore: false };
  queries.setQueryData(threadListKey("regular"), listed);
  queries.setQueryData(threadListKey("pinned"), listed);
  expect(ended).toEqual([]);
  putThread(queries, thread("thr_a", null));
  expect(ended).toEqual(["thr_a"]);
  stop();
});

test("reports threads that are in no loaded list: archived or older ones", () => {
  const { queries, ended, stop } = watched();
  putThread(queries, thread("thr_archived", "run_1", { is_archived: true }));
  putThread(queries, thread("thr_archived", null, { is_archived: true }));
  expect(ended).toEqual(["thr_archived"]);
  stop();
});

test("reports an answer that is directly followed by the next one", () => {
  const { queries, ended, stop } = watched();
  putThread(queries, thread("thr_a", "run_1"));
  putThread(queries, thread("thr_a", "run_2"));
  expect(ended).toEqual(["thr_a"]);
  stop();
});

test("does not report threads that leave a list, and nothing after it was stopped", () => {
  const { queries, ended, stop } = watched();
  queries.setQueryData(threadListKey("regular"), { threads: [thread("thr_a", "run_1")], hasMore: true });
  queries.setQueryData(threadListKey("regular"), { threads: [], hasMore: true });
  expect(ended).toEqual([]);
  stop();
  putThread(queries, thread("thr_a", null));
  expect(ended).toEqual([]);
});
