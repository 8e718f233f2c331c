import type { QueryClient } from "@tanstack/react-query";
import type { Thread } from "#contract/endpoints/threads.ts";
import { listKinds } from "../threads/thread-cache.ts";
import { threadKey, threadListKey, type ThreadList } from "../threads/thread-list.ts";

/**
 * Calls `ended` for each answer that is no longer being written, in whichever thread this page knows of: of the list, of
 * the archive, or open by its address. Answers how to stop.
 */
export function watchAnswers(queries: QueryClient, ended: (thread: Thread) => void): () => void {
  /** The runs that are under way, by thread. */
  const running = new Map<string, string>();

  function note(thread: Thread): void {
    const before = running.get(thread.id);
    if (thread.active_run_id === null) running.delete(thread.id);
    else running.set(thread.id, thread.active_run_id);
    if (before !== undefined && before !== thread.active_run_id) ended(thread);
  }

  const noteAll = (key: readonly unknown[], data: unknown) => {
    for (const thread of threadsIn(key, data)) note(thread);
  };
  const cache = queries.getQueryCache();
  for (const { queryKey, state } of cache.getAll()) noteAll(queryKey, state.data);
  return cache.subscribe((event) => {
    // Only what is new: rows that are about to be read again may be older than those of another list.
    if (event.type === "updated" && event.action.type === "success")
      noteAll(event.query.queryKey, event.query.state.data);
  });
}

const listNames = new Set(listKinds.map((kind) => threadListKey(kind).join(" ")));
const [oneThread] = threadKey("");

function threadsIn(key: readonly unknown[], data: unknown): readonly Thread[] {
  if (data === undefined) return [];
  if (key[0] === oneThread) return [data as Thread];
  return listNames.has(key.join(" ")) ? (data as ThreadList).threads : [];
}
