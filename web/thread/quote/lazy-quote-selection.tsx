import { useState, type RefObject } from "react";
import { loadScreenStrings } from "#web/i18n/load-language.ts";
import { useWindowEvent } from "#web/lib/use-window-event.ts";
import { useThreadView } from "#web/runtime/thread-runtime.tsx";
import { createLazyModule } from "#web/ui/lazy-module.ts";

export const quoteSelection = createLazyModule(
  () => import("./quote-selection.tsx"),
  (module) => module.QuoteSelection,
  loadScreenStrings,
);

/** Offers to quote what is selected in a message, for those who can write in the thread. */
export function LazyQuoteSelection({ scroller }: { scroller: RefObject<HTMLElement | null> }) {
  const { access } = useThreadView();
  const [hasSelected, setHasSelected] = useState(false);
  const QuoteSelection = quoteSelection.use();
  useWindowEvent(
    "selectionchange",
    () => {
      if (hasSelected || getSelection()?.isCollapsed !== false) return;
      setHasSelected(true);
      void quoteSelection.load();
    },
    { capture: true },
  );
  if (access === "read" || !hasSelected || QuoteSelection === undefined || QuoteSelection === "failed")
    return null;
  return <QuoteSelection scroller={scroller} />;
}
