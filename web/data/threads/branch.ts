import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { branchQuery } from "./branch-query.ts";
import { branchKey, branchPageSize, untilSilentMs, withEarlierPage, type BranchRows } from "./branch-rows.ts";
import { CallError } from "../call-error.ts";
import { loadedOf, type Loaded, type LoadState } from "../load-state.ts";
import type { Summary } from "#contract/endpoints/summaries.ts";
import { looksLike, type OutboxEntry } from "../outbox/outbox-entry.ts";
import { useServices } from "../provider.tsx";
import { visibleQueue, type VisibleQueuedMessage } from "../outbox/queued-messages.ts";
import type { Replies } from "./replies.ts";
import { runsToFollow, visibleBranch, type VisibleMessage } from "./visible-branch.ts";

export type ThreadBranch = Omit<Loaded, "state"> & {
  messages: VisibleMessage[];
  /** The queued messages below them. */
  queue: VisibleQueuedMessage[];
  /** What models read in place of the first messages. */
  summary: Summary | null;
  state: LoadState | "empty" | "missing";
  hasEarlier: boolean;
  isLoadingEarlier: boolean;
  /** `limit`: the most messages, for a reader who goes far up; several screens otherwise. */
  loadEarlier: (limit?: number) => void;
};

/** The visible branch of a thread, kept fresh. `exists`: the server has the thread, or its first message is being sent. */
export function useThreadBranch(threadId: string, exists: boolean): ThreadBranch {
  const services = useServices();
  const { replies } = services;
  const entries = useEntries(threadId);
  const live = useSyncExternalStore(replies.outlines.subscribe, replies.outlines.get);
  // The outbox reads the rows of a new thread before it removes the entry.
  const isUnsent = entries.some((entry) => entry.newThread);
  const query = useQuery({
    ...branchQuery(services, threadId),
    enabled: exists && !isUnsent,
    refetchInterval: ({ state }) => untilSilentMs(state.data) ?? false,
  });
  const { error } = query;
  const isMissing = error instanceof CallError && error.status === 404;
  // What was read before a thread was deleted or no longer shared is not shown, unless the person's own unsent message is
  // below it.
  const isGone = error instanceof CallError && error.failure.code === "thread-not-found";
  const data = isGone && entries.length === 0 ? undefined : query.data;
  const loaded = loadedOf(query);
  const earlier = useEarlier(threadId, data);

  useFollowedRuns(data, entries);
  const messages = useMemo(() => visibleBranch(data, entries, live), [data, entries, live]);
  const queue = useMemo(() => visibleQueue(data, entries), [data, entries]);
  const emptyState = exists && loaded.state !== "ready" ? loaded.state : "empty";
  const state = isMissing ? "missing" : messages.length > 0 ? "ready" : emptyState;
  return { ...loaded, ...earlier, messages, queue, summary: data?.summary ?? null, state };
}

/** The thread's entries in the outbox: the same list until the page shows one of them in another way. */
function useEntries(threadId: string): readonly OutboxEntry[] {
  const { outbox } = useServices();
  const shown = useRef<readonly OutboxEntry[]>([]);
  return useSyncExternalStore(outbox.all.subscribe, () => {
    const entries = outbox.all.get().filter((entry) => entry.threadId === threadId);
    const isSame =
      entries.length === shown.current.length &&
      entries.every((entry, i) => shown.current[i] !== undefined && looksLike(entry, shown.current[i]));
    if (!isSame) shown.current = entries;
    return shown.current;
  });
}

/** Follows the active runs of the visible branch, and those that this browser is starting. */
function useFollowedRuns(rows: BranchRows | undefined, entries: readonly OutboxEntry[]): void {
  const { replies } = useServices();
  const { active, starting } = runsToFollow(rows, entries);
  useFollows(replies, active, false);
  useFollows(replies, starting, true);
}

function useFollows(replies: Replies, runIds: string[], isStarting: boolean): void {
  const key = runIds.toSorted().join(" ");
  useEffect(() => {
    if (key === "") return undefined;
    const unfollows = key.split(" ").map((runId) => replies.follow(runId, isStarting));
    return () => {
      for (const unfollow of unfollows) unfollow();
    };
  }, [replies, key, isStarting]);
}

function useEarlier(threadId: string, rows: BranchRows | undefined) {
  const { call, queries } = useServices();
  const [isLoadingEarlier, setLoading] = useState(false);
  const before = rows?.messages[0]?.id;

  async function load(limit = branchPageSize): Promise<void> {
    if (isLoadingEarlier || before === undefined || rows?.hasMore !== true) return;
    setLoading(true);
    try {
      const page = await call("messages.branch", {
        params: { thread_id: threadId },
        query: { before, limit: String(limit) },
      });
      queries.setQueryData<BranchRows>(branchKey(threadId), (known) => withEarlierPage(known, before, page));
    } catch {
      // The user can scroll to the top again.
    } finally {
      setLoading(false);
    }
  }

  return {
    hasEarlier: rows?.hasMore ?? false,
    isLoadingEarlier,
    loadEarlier: (limit?: number) => void load(limit),
  };
}
