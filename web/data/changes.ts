import type { QueryClient } from "@tanstack/react-query";
import type { Change } from "#contract/changes.ts";
import { branchKey } from "./branch-rows.ts";
import { trashKey } from "./thread-list.ts";
import { dropThread, putThread } from "./thread-cache.ts";

/** 10 ms: the changes of one transaction arrive together. */
const togetherMs = 10;
/** 250 ms: soon enough for another tab, and seldom enough for a long branch that somebody writes hundreds of rows into. */
const againMs = 250;

/**
 * Makes what the feed tells visible: threads are put in their place; a branch of which something changed is read anew,
 * once for all changes that come together, and a few times a second while they do not end (an import, say).
 */
export function createChangeApplier(options: { queries: QueryClient; userId: () => string | undefined }) {
  const { queries } = options;
  const waiting = new Set<string>();
  const readAtMs = new Map<string, number>();

  function refreshBranch(threadId: string): void {
    if (waiting.has(threadId)) return;
    waiting.add(threadId);
    const sinceMs = Date.now() - (readAtMs.get(threadId) ?? 0);
    setTimeout(
      () => {
        waiting.delete(threadId);
        readAtMs.set(threadId, Date.now());
        void queries.invalidateQueries({ queryKey: branchKey(threadId) });
      },
      Math.max(togetherMs, againMs - sinceMs),
    );
  }

  return function apply(change: Change): void {
    switch (change.type) {
      case "thread-put":
        void queries.invalidateQueries({ queryKey: trashKey });
        return putThread(queries, change.thread);
      case "thread-gone":
        void queries.invalidateQueries({ queryKey: trashKey });
        return dropThread(queries, change.thread_id);
      case "head-put":
      case "feedback-put":
        // Each person looks at their own branch, and at their own thumbs.
        if (change.user_id === options.userId()) refreshBranch(change.thread_id);
        return;
      case "message-put":
      case "messages-gone":
      case "queue-put":
      case "run-put":
        return refreshBranch(change.thread_id);
    }
  };
}
