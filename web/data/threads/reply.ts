import { createContext, useContext, useSyncExternalStore } from "react";
import type { MessageFacts } from "./message-facts.ts";
import { createStore, type Store } from "#web/lib/store.ts";

export type ReplyView = MessageFacts;

/** The facts of the messages that are shown, by id: what `useReply` reads. */
export type ShownFacts = Store<ReadonlyMap<string, MessageFacts>>;

export const ShownFactsContext = createContext<ShownFacts>(
  createStore<ReadonlyMap<string, MessageFacts>>(new Map()),
);

/** Facts of one message of the shown branch; `undefined` for a message that is not shown. */
export function useReply(messageId: string): ReplyView | undefined {
  const facts = useContext(ShownFactsContext);
  return useSyncExternalStore(facts.subscribe, () => facts.get().get(messageId));
}
