import type { QueryClient } from "@tanstack/react-query";
import type { Thread } from "#contract/endpoints/threads.ts";
import { forgetPanel } from "../drafts/panel-storage.ts";
import { branchKey, type BranchRows } from "./branch-rows.ts";
import {
  threadKey,
  threadListKey,
  threadListsKey,
  withoutThread,
  withThread,
  type CachedThreads,
  type ThreadListKind,
} from "./thread-list.ts";

/** The lists that were read, with those of folders. */
export function cachedKinds(queries: QueryClient): ThreadListKind[] {
  return queries
    .getQueryCache()
    .findAll({ queryKey: threadListsKey })
    .map(({ queryKey }) => queryKey[1] as ThreadListKind);
}

/** Writes the thread into all cached queries that it belongs to. */
export function putThread(queries: QueryClient, thread: Thread): void {
  for (const kind of cachedKinds(queries)) {
    queries.setQueryData<CachedThreads>(
      threadListKey(kind),
      (list) => list && withThread(list, kind, thread),
    );
  }
  queries.setQueryData<Thread>(threadKey(thread.id), thread);
}

/** Removes a permanently deleted thread from the cache, and its panel from this device. */
export function removeThread(queries: QueryClient, id: string): void {
  forgetPanel(id);
  for (const kind of cachedKinds(queries)) {
    queries.setQueryData<CachedThreads>(threadListKey(kind), (list) => list && withoutThread(list, id));
  }
  void queries.invalidateQueries({ queryKey: threadKey(id) });
  void queries.invalidateQueries({ queryKey: branchKey(id) });
}

/** The thread from any cached query. */
export function cachedThread(queries: QueryClient, id: string): Thread | undefined {
  const lists = cachedKinds(queries).map(
    (kind) => queries.getQueryData<CachedThreads>(threadListKey(kind))?.threads ?? [],
  );
  return queries.getQueryData<Thread>(threadKey(id)) ?? lists.flat().find((thread) => thread.id === id);
}

export function cachedBranch(queries: QueryClient, threadId: string): BranchRows | undefined {
  return queries.getQueryData<BranchRows>(branchKey(threadId));
}
