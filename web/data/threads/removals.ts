import { useMemo } from "react";
import { createStore } from "#web/lib/store.ts";
import type { VisibleMessage } from "./visible-branch.ts";

/** A message that a person has deleted, alone or with everything below it, and that they can still restore. */
export type Removal = { messageId: string; withDescendants: boolean };

export type DeferredRemoval = {
  /** Deletes the message. Throws what the deletion throws, and then the message is shown again. */
  commit: () => Promise<void>;
  /** Shows it again. */
  undo: () => void;
};

/** The deleted messages that are hidden on this page and that the server still has. */
const pending = createStore<readonly Removal[]>([]);

/** Hides a message, and deletes it with `remove` when `commit` is called or the page closes. The first call decides. */
export function deferRemoval(removal: Removal, remove: () => Promise<void>): DeferredRemoval {
  let isDecided = false;
  pending.set([...pending.get(), removal]);
  const show = () => pending.set(pending.get().filter((other) => other !== removal));
  const commit = async () => {
    if (isDecided) return;
    isDecided = true;
    removeEventListener("pagehide", commitNow);
    try {
      await remove();
    } finally {
      show();
    }
  };
  const commitNow = () => void commit().catch(() => {});
  addEventListener("pagehide", commitNow);
  const undo = () => {
    if (isDecided) return;
    isDecided = true;
    removeEventListener("pagehide", commitNow);
    show();
  };
  return { commit, undo };
}

/** The messages of a branch without those that are deleted; the same list while nothing changes. */
export function useRemaining(branch: VisibleMessage[]): VisibleMessage[] {
  const removals = pending.use();
  return useMemo(() => remaining(branch, removals), [branch, removals]);
}

function remaining(branch: VisibleMessage[], removals: readonly Removal[]): VisibleMessage[] {
  const indexed = removals.map((removal) => ({
    ...removal,
    index: branch.findIndex(({ row }) => row.id === removal.messageId),
  }));
  const hidden = indexed.filter(({ index }) => index !== -1);
  if (hidden.length === 0) return branch;
  const end = Math.min(...hidden.map((each) => (each.withDescendants ? each.index : branch.length)));
  const alone = new Set(hidden.map(({ index }) => index));
  return branch.filter((_, index) => index < end && !alone.has(index));
}
