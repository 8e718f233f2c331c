import type { QueryClient } from "@tanstack/react-query";
import type { Thread } from "#contract/endpoints/threads.ts";
import { threadListsKey, threadsKey, type CachedThreads } from "../threads/thread-list.ts";

/**
 * Calls `onEnd` when the run of any thread in the query cache ends: a thread of a list, of the archive, or one that was
 * opened by its URL. Returns the function that stops watching.
 */
export function watchAnswers(queries: QueryClient, onEnd: (thread: Thread) => void): () => void {
  /** The active run of each thread. */
  const running = new Map<string, string>();

  function update(thread: Thread): void {
    const before = running.get(thread.id);
    if (thread.active_run_id === null) running.delete(thread.id);
    else running.set(thread.id, thread.active_run_id);
    if (before !== undefined && before !== thread.active_run_id) onEnd(thread);
  }

  const updateAll = (key: readonly unknown[], data: unknown) => {
    for (const thread of threadsIn(key, data)) update(thread);
  };
  const cache = queries.getQueryCache();
  for (const { queryKey, state } of cache.getAll()) updateAll(queryKey, state.data);
  return cache.subscribe((event) => {
    // Only new data: an invalidated list may have older rows than another list.
    if (event.type === "updated" && event.action.type === "success")
      updateAll(event.query.queryKey, event.query.state.data);
  });
}

function threadsIn(key: readonly unknown[], data: unknown): readonly Thread[] {
  if (data === undefined) return [];
  if (key[0] === threadsKey[0]) return [data as Thread];
  return key[0] === threadListsKey[0] ? (data as CachedThreads).threads : [];
}
