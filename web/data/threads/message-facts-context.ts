import { createContext, useContext, useSyncExternalStore } from "react";
import type { MessageFacts } from "./message-facts.ts";
import { createStore, type Store } from "#web/lib/store.ts";

/** The facts of the visible messages, by message id. */
export type VisibleFacts = Store<ReadonlyMap<string, MessageFacts>>;

export const VisibleFactsContext = createContext<VisibleFacts>(
  createStore<ReadonlyMap<string, MessageFacts>>(new Map()),
);

/** The facts of a message of the visible branch; `undefined` for other messages. */
export function useMessageFacts(messageId: string): MessageFacts | undefined {
  const facts = useContext(VisibleFactsContext);
  return useSyncExternalStore(facts.subscribe, () => facts.get().get(messageId));
}
