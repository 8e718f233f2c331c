import { createContext, useContext } from "react";
import type { FeedbackType } from "#contract/endpoints/scores.ts";
import type { BranchDeeds } from "#web/data/threads/branch-actions.ts";
import type { Failure } from "#web/data/failure.ts";
import type { VisibleQueuedMessage } from "#web/data/outbox/queued-messages.ts";
import { createStore, type Store } from "#web/lib/store.ts";

/** The thread that is shown, beside what assistant-ui tells of it. */
export type ThreadView = {
  state: "empty" | "loading" | "ready" | "missing" | "failed";
  failure?: Failure;
  hasEarlier: boolean;
  isLoadingEarlier: boolean;
  loadEarlier: () => void;
  retry: () => void;
  sendAgain: (messageId: string) => void;
  /** Goes on with the answer that this run broke off. Throws `CallError`. */
  goOn: (runId: string) => Promise<void>;
  /** Puts this person's thumb on a message, or takes it back. Throws `CallError`. */
  rate: (messageId: string, feedback: FeedbackType | null) => Promise<void>;
  /** Shows the branch that goes through this message. Throws `CallError`. */
  show: (messageId: string) => Promise<void>;
  isRunning: boolean;
  /** What waits to be said, in order. */
  waiting: readonly VisibleQueuedMessage[];
  deedsOfWaiting: BranchDeeds["waiting"];
  /** The last stop did not arrive. */
  stopFailure?: Failure;
};

export const ThreadViewContext = createContext<ThreadView | undefined>(undefined);

export function useThreadView(): ThreadView {
  const view = useContext(ThreadViewContext);
  if (view === undefined) throw new Error("This belongs inside ThreadRuntime.");
  return view;
}

/** Which siblings each shown message has, and how to show another. */
export type Siblings = {
  of: ReadonlyMap<string, readonly string[]>;
  show: (messageId: string) => Promise<void>;
};
export const SiblingsContext = createContext<Store<Siblings>>(
  createStore<Siblings>({ of: new Map(), show: () => Promise.resolve() }),
);
