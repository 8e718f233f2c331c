import { createContext, useContext } from "react";
import type { OwnFeedback } from "#web/data/threads/branch-rows.ts";
import type { BranchActions } from "#web/data/threads/branch-actions.ts";
import type { Failure } from "#web/data/failure.ts";
import type { VisibleQueuedMessage } from "#web/data/outbox/queued-messages.ts";
import { createStore, type Store } from "#web/lib/store.ts";

/** The visible thread, besides what assistant-ui provides. */
export type ThreadView = {
  state: "empty" | "loading" | "ready" | "missing" | "failed";
  failure?: Failure;
  hasEarlier: boolean;
  isLoadingEarlier: boolean;
  loadEarlier: () => void;
  retry: () => void;
  retrySend: (messageId: string) => void;
  /** Continues the interrupted answer of this run. Throws `CallError`. */
  continueRun: (runId: string) => Promise<void>;
  /** Sets or removes the user's feedback for a message. Throws `CallError`. */
  rate: (messageId: string, feedback: OwnFeedback | null) => Promise<void>;
  /** Switches to the branch that contains this message. Throws `CallError`. */
  showMessage: (messageId: string) => Promise<void>;
  isRunning: boolean;
  /** The queued messages, in order. */
  queue: readonly VisibleQueuedMessage[];
  queueActions: BranchActions["queue"];
  /** Why the last stop failed. */
  stopFailure?: Failure;
};

export const ThreadViewContext = createContext<ThreadView | undefined>(undefined);

export function useThreadView(): ThreadView {
  const view = useContext(ThreadViewContext);
  if (view === undefined) throw new Error("useThreadView must be used inside ThreadRuntime.");
  return view;
}

/** The siblings of each visible message, and how to switch to one. */
export type Siblings = {
  of: ReadonlyMap<string, readonly string[]>;
  show: (messageId: string) => Promise<void>;
};
export const SiblingsContext = createContext<Store<Siblings>>(
  createStore<Siblings>({ of: new Map(), show: () => Promise.resolve() }),
);
