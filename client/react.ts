import type { AssistantRuntime } from "@assistant-ui/react";
import { useEffect } from "react";
import type { Change, Parlance } from "./parlance.ts";

type ThreadListState = ReturnType<AssistantRuntime["threads"]["getState"]>;

/**
 * Keeps the thread list of a runtime up to date: threads that other tabs, devices and backends create, rename, archive or
 * delete. `parlance` must be the same object at each rendering.
 */
export function useLiveThreads(parlance: Parlance, runtime: AssistantRuntime): void {
  const { threads } = runtime;
  useEffect(() => {
    const stop = new AbortController();
    followThreads(parlance, threads, stop.signal).catch((error: unknown) =>
      console.warn("The thread list no longer follows the server.", error),
    );
    return () => stop.abort();
  }, [parlance, threads]);
}

/** Changes often come in groups. */
const gatherMs = 300;

/** Reloads the list after changes that it does not show, and never twice at the same time. */
async function followThreads(
  parlance: Parlance,
  threads: AssistantRuntime["threads"],
  signal: AbortSignal,
): Promise<void> {
  let reloading: Promise<void> | undefined;
  let isOutdated = false;
  const reloadUntilCurrent = async () => {
    while (isOutdated) {
      await new Promise((resolve) => setTimeout(resolve, gatherMs));
      if (signal.aborted) return;
      isOutdated = false;
      // The runtime shows the error of a list that could not be loaded.
      await reloadAsMany(threads).catch(() => {});
    }
    reloading = undefined;
  };
  for await (const change of parlance.changes(signal)) {
    if (!/^(thread-|reset)/.test(change.type) || isShown(change, threads.getState())) continue;
    isOutdated = true;
    reloading ??= reloadUntilCurrent();
  }
}

/** Whether the list shows a thread like this already, because the change was made here. */
function isShown(change: Change, { threadIds, archivedThreadIds, threadItems }: ThreadListState): boolean {
  if (change.type !== "thread-put" || change.thread.deleted_at !== null) return false;
  const { id, title, is_archived: isArchived } = change.thread;
  // A change can move the thread to the top.
  const [first = ""] = isArchived ? archivedThreadIds : threadIds;
  const shown = threadItems[first];
  return shown?.remoteId === id && (shown.title ?? "") === (title ?? "");
}

/** Loads the list again, with as many pages as it had. */
async function reloadAsMany(threads: AssistantRuntime["threads"]): Promise<void> {
  const { length } = threads.getState().threadIds;
  await threads.reload();
  for (let state = threads.getState(); state.hasMore && state.threadIds.length < length;) {
    await threads.loadMore();
    state = threads.getState();
  }
}
