import { useContext, useMemo, useSyncExternalStore } from "react";
import { SiblingsContext } from "./thread-view.ts";

export type SiblingView = {
  /** From 0. */
  index: number;
  count: number;
  previousId: string | undefined;
  nextId: string | undefined;
  /** Shows the sibling of this id. Throws `CallError`. */
  show: (id: string) => Promise<void>;
};

/** Where a shown message stands among its siblings, and the way to the others, also while an answer is being written. */
export function useSiblings(messageId: string): SiblingView | undefined {
  const store = useContext(SiblingsContext);
  const ids = useSyncExternalStore(store.subscribe, () => store.get().of.get(messageId));
  return useMemo(() => {
    if (ids === undefined || ids.length < 2) return undefined;
    const index = ids.indexOf(messageId);
    return {
      index,
      count: ids.length,
      previousId: ids[index - 1],
      nextId: ids[index + 1],
      show: async (id: string) => await store.get().show(id),
    };
  }, [ids, messageId, store]);
}
