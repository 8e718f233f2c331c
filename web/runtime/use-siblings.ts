import { useContext, useMemo, useSyncExternalStore } from "react";
import { SiblingsContext } from "./thread-view.ts";

export type SiblingView = {
  /** From 0. */
  index: number;
  count: number;
  previousId: string | undefined;
  nextId: string | undefined;
  /** Switches to this sibling. Throws `CallError`. */
  show: (id: string) => Promise<void>;
};

/** The position of a visible message among its siblings, and how to switch to another, also during a run. */
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
