import type { SearchHit } from "#contract/endpoints/search.ts";

/** A thread with hits. `created_at` is the time of its first hit in the list. */
export type FoundThread = Pick<SearchHit, "title" | "is_archived" | "created_at"> & { id: string };

/** The person's own threads of the results, each once: files and threads are results of their own. */
export function groupByThread(
  hits: readonly Pick<SearchHit, "thread_id" | "title" | "is_archived" | "created_at" | "shared_by">[],
): FoundThread[] {
  const threads = new Map<string, FoundThread>();
  for (const { thread_id: id, title, is_archived, created_at, shared_by } of hits)
    if (shared_by === null && !threads.has(id)) threads.set(id, { id, title, is_archived, created_at });
  return [...threads.values()];
}
