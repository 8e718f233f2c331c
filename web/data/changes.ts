import type { QueryClient } from "@tanstack/react-query";
import type { Change } from "#contract/changes.ts";
import { branchKey } from "./branch-rows.ts";
import { dropThread, putThread } from "./thread-cache.ts";

/**
 * Makes what the feed tells visible: threads are put in their place; a branch of which something changed is read anew,
 * once for all changes that come together.
 */
export function createChangeApplier(options: { queries: QueryClient; userId: () => string | undefined; soon: (run: () => void) => void }) {
  const { queries } = options;
  let branches = new Set<string>();

  function refreshBranch(threadId: string): void {
    if (branches.size === 0) {
      options.soon(() => {
        const ids = branches;
        branches = new Set();
        for (const id of ids) void queries.invalidateQueries({ queryKey: branchKey(id) });
      });
    }
    branches.add(threadId);
  }

  return function apply(change: Change): void {
    switch (change.type) {
      case "thread-put":
        return putThread(queries, change.thread);
      case "thread-gone":
        return dropThread(queries, change.thread_id);
      case "head-put":
        // Each person looks at their own branch.
        if (change.user_id === options.userId()) refreshBranch(change.thread_id);
        return;
      case "message-put":
      case "messages-gone":
      case "run-put":
        return refreshBranch(change.thread_id);
    }
  };
}
