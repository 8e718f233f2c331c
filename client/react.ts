import type { AssistantRuntime } from "@assistant-ui/react";
import { useEffect } from "react";
import type { Parlance } from "./parlance.ts";

/**
 * Keeps the thread list of a runtime up to date: threads that other tabs, devices and backends create, rename, archive or
 * delete. `parlance` must be the same object at each rendering.
 */
export function useLiveThreads(parlance: Parlance, runtime: AssistantRuntime): void {
  const { threads } = runtime;
  useEffect(() => {
    const stop = new AbortController();
    followThreads(parlance, async () => await reloadAsMany(threads), stop.signal).catch((error: unknown) =>
      console.warn("The thread list no longer follows the server.", error),
    );
    return () => stop.abort();
  }, [parlance, threads]);
}

/** Calls `reload` after changes of threads, and never twice at the same time. */
async function followThreads(
  parlance: Parlance,
  reload: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  let reloading: Promise<void> | undefined;
  let isOutdated = false;
  const reloadUntilCurrent = async () => {
    while (isOutdated && !signal.aborted) {
      isOutdated = false;
      // The runtime shows the error of a list that could not be loaded.
      await reload().catch(() => {});
    }
    reloading = undefined;
  };
  for await (const change of parlance.changes(signal)) {
    if (!/^(thread-|reset)/.test(change.type)) continue;
    isOutdated = true;
    reloading ??= reloadUntilCurrent();
  }
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
