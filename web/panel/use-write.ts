import type { PanelAddress } from "./panel-address.ts";
import type { PanelSearch } from "./panel-search.ts";
import { useInsertText } from "./use-insert-text.ts";

/** Returns a function that adds a text to the draft, and makes room for the composer on the screen. */
export function useWrite(address: PanelAddress, { full }: PanelSearch, isOver: boolean) {
  const insert = useInsertText();
  return async (text: string) => {
    if (isOver) await address.close();
    else if (full !== undefined) await address.update({ full: undefined });
    insert(text);
  };
}
