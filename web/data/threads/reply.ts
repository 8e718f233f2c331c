import { createContext, useContext, useSyncExternalStore } from "react";
import type { Part } from "#contract/parts/kinds.ts";
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

/** A part of a running answer with all text that has arrived; `undefined` if `runId` is, or if it is not followed. */
export function useLatestPart(runId: string | undefined, index: number): Part | undefined {
  const { visible } = useServices().replies;
  return useSyncExternalStore(runId === undefined ? neverSubscribe : visible.subscribe, () =>
    runId === undefined ? undefined : visible.get().get(runId)?.reply.parts[index],
  );
}

const neverSubscribe = () => () => {};
