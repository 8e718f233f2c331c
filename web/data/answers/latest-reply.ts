import { useSyncExternalStore } from "react";
import type { Reply } from "#contract/fold.ts";
import { useServices } from "../provider.tsx";

/** The result of `select` for a running answer; `undefined` without a `runId`, or if the run is not followed. */
export function useLatestReply<T>(runId: string | undefined, select: (reply: Reply) => T): T | undefined {
  const { visible } = useServices().replies;
  return useSyncExternalStore(runId === undefined ? neverSubscribe : visible.subscribe, () => {
    const latest = runId === undefined ? undefined : visible.get().get(runId);
    return latest && select(latest.reply);
  });
}

const neverSubscribe = () => () => {};
