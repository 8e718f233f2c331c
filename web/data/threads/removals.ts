import { useMemo } from "react";
import { createStore } from "#web/lib/store.ts";
import type { VisibleMessage } from "./visible-branch.ts";

/** A message that a person has deleted, alone or with everything below it, and that they can still restore. */
export type Removal = { threadId: string; messageId: string; withDescendants: boolean };

export type DeferredRemoval = {
  /** Deletes the message. Throws what the deletion throws, and then the message is shown again. */
  commit: () => Promise<void>;
  /** Shows it again. */
  undo: () => void;
};

type PendingRemoval = Removal & { commit: () => Promise<void> };

/** The deleted messages that are hidden on this page and that the server still has. */
const pending = createStore<readonly PendingRemoval[]>([]);

/** Long enough for a server that answers. Without one, a message waits in the outbox anyway. */
const commitMaxMs = 3_000;

/**
 * Deletes what is hidden in a thread, or in all, before something that would still read it: an answer, a copy, the end of
 * the session. Returns `undefined` if nothing is hidden.
 */
export function commitRemovals(threadId?: string): Promise<unknown> | undefined {
  const removals = pending.get().filter((removal) => threadId === undefined || removal.threadId === threadId);
  if (removals.length === 0) return undefined;
  const all = Promise.allSettled(removals.map(async ({ commit }) => await commit()));
  return Promise.race([all, new Promise((resolve) => setTimeout(resolve, commitMaxMs))]);
}

/** Hides a message, and deletes it with `remove` when `commit` is called or the page closes. The first call decides. */
export function deferRemoval(removal: Removal, remove: () => Promise<void>): DeferredRemoval {
  let committed: Promise<void> | undefined;
  let isUndone = false;
  const show = () => pending.set(pending.get().filter((other) => other !== entry));
  const commit = async () => {
    if (isUndone) return;
    removeEventListener("pagehide", commitNow);
    committed ??= remove().finally(show);
    await committed;
  };
  const commitNow = () => void commit().catch(() => {});
  const entry = { ...removal, commit };
  pending.set([...pending.get(), entry]);
  addEventListener("pagehide", commitNow);
  const undo = () => {
    if (committed !== undefined) return;
    isUndone = true;
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
