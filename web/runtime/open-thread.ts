import { createContext, useContext } from "react";
import { useAuiState } from "@assistant-ui/react";
import type { Thread } from "#contract/endpoints/threads.ts";
import type { ThreadBranch } from "#web/data/threads/branch.ts";
import type { Failure } from "#web/data/failure.ts";
import type { ThreadStore } from "./thread-store.ts";

export type ThreadAccess = NonNullable<Thread["sharing"]>["access"];

/** The visible thread, besides what assistant-ui provides. */
export type OpenThread = Omit<ThreadBranch, "messages"> &
  ThreadStore["actions"] & {
    threadId: string;
    /** What the user may do: everything in their own threads. */
    access: ThreadAccess;
    /** Whether others read the thread too. */
    isShared: boolean;
    /** Whether several models have answered and none of the answers is chosen: nothing can be sent. */
    isComparing: boolean;
    /** Why the last stop failed. */
    stopFailure: Failure | undefined;
  };

export const OpenThreadContext = createContext<OpenThread | undefined>(undefined);

export function useOpenThread(): OpenThread {
  const view = useContext(OpenThreadContext);
  if (view === undefined) throw new Error("useOpenThread must be used inside ThreadRuntime.");
  return view;
}

/** Whether an answer of the thread is being written. Only what shows it uses this, because it is rendered at both ends. */
export function useIsRunning(): boolean {
  return useAuiState((s) => s.thread.isRunning);
}
