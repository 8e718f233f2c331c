import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { branchQuery } from "./branch-query.ts";
import { branchKey, branchPageSize, withEarlierPage, type BranchRows } from "./branch-rows.ts";
import { CallError } from "../call-error.ts";
import { failureOf, type Failure } from "../failure.ts";
import type { OutboxEntry } from "../outbox/outbox-entry.ts";
import { useServices } from "../provider.tsx";
import { visibleQueue, type VisibleQueuedMessage } from "../outbox/queued-messages.ts";
import { runsToFollow, visibleBranch, type VisibleMessage } from "./visible-branch.ts";

export type ThreadBranch = {
  messages: VisibleMessage[];
  /** The queued messages below them. */
  queue: VisibleQueuedMessage[];
  state: "empty" | "loading" | "ready" | "missing" | "failed";
  failure?: Failure;
  hasEarlier: boolean;
  isLoadingEarlier: boolean;
  loadEarlier: () => void;
  retry: () => void;
};

/** The visible branch of a thread, kept fresh. `exists`: the server has the thread, or its first message is being sent. */
export function useThreadBranch(threadId: string, exists: boolean): ThreadBranch {
  const services = useServices();
  const { outbox, replies } = services;
  const all = useSyncExternalStore(outbox.all.subscribe, outbox.all.get);
  const live = useSyncExternalStore(replies.visible.subscribe, replies.visible.get);
  const entries = useMemo(() => all.filter((entry) => entry.threadId === threadId), [all, threadId]);
  const isUnsent = entries.some((entry) => entry.newThread && entry.state !== "stored");
  const { data, status, error, refetch } = useQuery({
    ...branchQuery(services, threadId),
    enabled: exists && !isUnsent,
  });
  const earlier = useEarlier(threadId, data);

  useFollowedRuns(data, entries);
  const messages = useMemo(() => visibleBranch(data, entries, live), [data, entries, live]);
  const queue = useMemo(() => visibleQueue(data, entries), [data, entries]);
  return {
    messages,
    queue,
    state: stateOf({
      exists,
      messageCount: messages.length,
      isRead: data !== undefined,
      hasFailed: status === "error",
      error,
    }),
    ...(error === null ? {} : { failure: failureOf(error) }),
    retry: () => void refetch(),
    ...earlier,
  };
}

function stateOf(of: {
  exists: boolean;
  messageCount: number;
  isRead: boolean;
  hasFailed: boolean;
  error: unknown;
}): ThreadBranch["state"] {
  if (of.error instanceof CallError && of.error.status === 404) return "missing";
  if (of.messageCount > 0) return "ready";
  if (!of.exists || of.isRead) return "empty";
  return of.hasFailed ? "failed" : "loading";
}

/** Follows the active runs of the visible branch. */
function useFollowedRuns(rows: BranchRows | undefined, entries: readonly OutboxEntry[]): void {
  const { replies } = useServices();
  const runIds = runsToFollow(rows, entries).toSorted().join(" ");
  useEffect(() => {
    const unfollows = runIds
      .split(" ")
      .filter((runId) => runId !== "")
      .map((runId) => replies.follow(runId));
    return () => {
      for (const unfollow of unfollows) unfollow();
    };
  }, [replies, runIds]);
}

function useEarlier(threadId: string, rows: BranchRows | undefined) {
  const { call, queries } = useServices();
  const [isLoadingEarlier, setLoading] = useState(false);
  const before = rows?.messages[0]?.id;

  async function load(): Promise<void> {
    if (isLoadingEarlier || before === undefined || rows?.hasMore !== true) return;
    setLoading(true);
    try {
      const page = await call("messages.branch", {
        params: { thread_id: threadId },
        query: { before, limit: String(branchPageSize) },
      });
      queries.setQueryData<BranchRows>(branchKey(threadId), (known) => withEarlierPage(known, before, page));
    } catch {
      // The user can scroll to the top again.
    } finally {
      setLoading(false);
    }
  }

  return { hasEarlier: rows?.hasMore ?? false, isLoadingEarlier, loadEarlier: () => void load() };
}
