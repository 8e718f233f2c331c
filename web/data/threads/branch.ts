import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { branchQuery } from "./branch-query.ts";
import { branchKey, branchPage, withUpperPage, type BranchRows } from "./branch-rows.ts";
import { CallError } from "../call-error.ts";
import { failureOf, type Failure } from "../failure.ts";
import type { OutboxEntry } from "../outbox/outbox-entry.ts";
import { useServices } from "../provider.tsx";
import { visibleQueue, type VisibleQueuedMessage } from "../outbox/queued-messages.ts";
import { runsToFollow, showBranch, type ShownMessage } from "./visible-branch.ts";

export type ThreadBranch = {
  messages: ShownMessage[];
  /** What waits to be said below them. */
  waiting: VisibleQueuedMessage[];
  state: "empty" | "loading" | "ready" | "missing" | "failed";
  failure?: Failure;
  hasEarlier: boolean;
  isLoadingEarlier: boolean;
  loadEarlier: () => void;
  retry: () => void;
};

/** The branch that is shown of a thread, kept fresh. `made`: the service knows the thread, or is about to. */
export function useThreadBranch(threadId: string, made: boolean): ThreadBranch {
  const services = useServices();
  const { outbox, replies } = services;
  const all = useSyncExternalStore(outbox.all.subscribe, outbox.all.get);
  const live = useSyncExternalStore(replies.visible.subscribe, replies.visible.get);
  const outgoing = useMemo(() => all.filter((out) => out.threadId === threadId), [all, threadId]);
  const unsent = outgoing.some((out) => out.newThread && out.state !== "stored");
  const { data, status, error, refetch } = useQuery({
    ...branchQuery(services, threadId),
    enabled: made && !unsent,
  });
  const earlier = useEarlier(threadId, data);

  useFollowedRuns(data, outgoing);
  const messages = useMemo(() => showBranch(data, outgoing, live), [data, outgoing, live]);
  const waiting = useMemo(() => visibleQueue(data, outgoing), [data, outgoing]);
  return {
    messages,
    waiting,
    state: stateOf({
      made,
      shown: messages.length,
      read: data !== undefined,
      failed: status === "error",
      error,
    }),
    ...(error === null ? {} : { failure: failureOf(error) }),
    retry: () => void refetch(),
    ...earlier,
  };
}

function stateOf(of: {
  made: boolean;
  shown: number;
  read: boolean;
  failed: boolean;
  error: unknown;
}): ThreadBranch["state"] {
  if (of.error instanceof CallError && of.error.status === 404) return "missing";
  if (of.shown > 0) return "ready";
  if (!of.made || of.read) return "empty";
  return of.failed ? "failed" : "loading";
}

/** The runs whose replies are being written in what is shown. */
function useFollowedRuns(rows: BranchRows | undefined, outgoing: readonly OutboxEntry[]): void {
  const { replies } = useServices();
  const runIds = runsToFollow(rows, outgoing).toSorted().join(" ");
  useEffect(() => {
    const releases = runIds
      .split(" ")
      .filter((runId) => runId !== "")
      .map((runId) => replies.follow(runId));
    return () => {
      for (const release of releases) release();
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
        query: { before, limit: String(branchPage) },
      });
      queries.setQueryData<BranchRows>(branchKey(threadId), (known) => withUpperPage(known, before, page));
    } catch {
      // The top is still there to be scrolled to again.
    } finally {
      setLoading(false);
    }
  }

  return { hasEarlier: rows?.hasMore ?? false, isLoadingEarlier, loadEarlier: () => void load() };
}
