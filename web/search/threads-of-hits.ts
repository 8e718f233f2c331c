import type { SearchHit } from "#contract/endpoints/search.ts";

/** A thread in which something was found: when, the last time. */
export type FoundThread = Pick<SearchHit, "title" | "is_archived" | "created_at"> & { id: string };

/** The threads of these hits, each once, in the order of their first. */
export function threadsOf(hits: readonly SearchHit[]): FoundThread[] {
  const threads = new Map<string, FoundThread>();
  for (const { thread_id: id, title, is_archived, created_at } of hits)
    if (!threads.has(id)) threads.set(id, { id, title, is_archived, created_at });
  return [...threads.values()];
}
