import { useContext, useMemo, useSyncExternalStore } from "react";
import { SiblingsContext } from "./thread-view.ts";

export type SiblingView = {
  /** From 0. */
  index: number;
  count: number;
  /** Each throws `CallError`. */
  previous?: () => Promise<void>;
  next?: () => Promise<void>;
};

/** Where a shown message stands among its siblings, and the way to the others, also while an answer is being written. */
export function useSiblings(messageId: string): SiblingView | undefined {
  const store = useContext(SiblingsContext);
  const ids = useSyncExternalStore(store.subscribe, () => store.get().of.get(messageId));
  return useMemo(() => {
    if (ids === undefined || ids.length < 2) return undefined;
    const index = ids.indexOf(messageId);
    const to = (id: string) => async () => await store.get().show(id);
    const before = ids[index - 1];
    const after = ids[index + 1];
    return {
      index,
      count: ids.length,
      ...(before === undefined ? {} : { previous: to(before) }),
      ...(after === undefined ? {} : { next: to(after) }),
    };
  }, [ids, messageId, store]);
}
