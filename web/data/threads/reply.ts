import { createContext, useContext, useSyncExternalStore } from "react";
import type { Reply } from "#contract/fold.ts";
import { useServices } from "../provider.tsx";
import type { MessageFacts } from "./message-facts.ts";
import { createStore, type Store } from "#web/lib/store.ts";

/** The facts of the visible messages, by message id. */
export type VisibleFacts = Store<ReadonlyMap<string, MessageFacts>>;

export const VisibleFactsContext = createContext<VisibleFacts>(
  createStore<ReadonlyMap<string, MessageFacts>>(new Map()),
);

/** The facts of a message of the visible branch; `undefined` for other messages. */
export function useReply(messageId: string): MessageFacts | undefined {
  const facts = useContext(VisibleFactsContext);
  return useSyncExternalStore(facts.subscribe, () => facts.get().get(messageId));
}

/** What `select` returns of a running answer with all that is shown of it; `undefined` if `runId` is, or if it is not followed. */
export function useLatestReply<T>(runId: string | undefined, select: (reply: Reply) => T): T | undefined {
  const { visible } = useServices().replies;
  return useSyncExternalStore(runId === undefined ? neverSubscribe : visible.subscribe, () => {
    const latest = runId === undefined ? undefined : visible.get().get(runId);
    return latest && select(latest.reply);
  });
}

const neverSubscribe = () => () => {};
