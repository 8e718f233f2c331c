import { type RefObject, useEffect, useEffectEvent, useRef, useState } from "react";
import Quote from "lucide-react/icons/text-quote";
import { t } from "#web/i18n/translate.ts";
import { useWindowEvent } from "#web/lib/use-window-event.ts";
import { quoteOf } from "#web/panel/quote.ts";
import { useInsertText } from "#web/panel/use-insert-text.ts";
import { Button } from "#web/ui/button.tsx";
import { isQuoteKey, quoteKeys } from "./quote-keys.ts";
import { selectedRange, textOfRange } from "./selected-text.ts";
import styles from "./quote-selection.module.css";

/** A selection that has not changed for so long is complete. */
const settledMs = 150;
/** Pixels. */
const gap = 8;

/** A button below the selected text of a message that quotes it in the composer; the keys do the same. */
export function QuoteSelection({ scroller }: { scroller: RefObject<HTMLElement | null> }) {
  const insert = useInsertText();
  const [place, setPlace] = useState<{ top: number; left: number }>();
  const box = useRef<HTMLDivElement>(null);
  const timer = useRef(0);

  const show = useEffectEvent(() => {
    const range = selectedRange(scroller.current);
    setPlace(range && placeBelow(range, scroller.current, box.current));
  });
  const onChange = useEffectEvent(() => {
    clearTimeout(timer.current);
    if (getSelection()?.isCollapsed !== false) setPlace(undefined);
    else timer.current = window.setTimeout(() => show(), settledMs);
  });
  useEffect(() => {
    onChange();
    document.addEventListener("selectionchange", onChange);
    addEventListener("resize", onChange);
    return () => {
      clearTimeout(timer.current);
      document.removeEventListener("selectionchange", onChange);
      removeEventListener("resize", onChange);
    };
  }, []);

  const quote = (range: Range) => {
    insert(quoteOf(textOfRange(range)));
    getSelection()?.removeAllRanges();
    setPlace(undefined);
  };
  useWindowEvent("keydown", (event) => {
    if (!isQuoteKey(event)) return;
    const range = selectedRange(scroller.current);
    if (range === undefined) return;
    event.preventDefault();
    quote(range);
  });
  return (
    <div
      ref={box}
      className={styles["box"]}
      style={place === undefined ? {} : { insetBlockStart: place.top, left: place.left }}
      data-shown={place !== undefined || undefined}
    >
      <Button
        icon={Quote}
        disabled={place === undefined}
        data-tip={quoteKeys()}
        // Keeps the selection.
        onPointerDown={(event) => event.preventDefault()}
        onClick={() => {
          const range = selectedRange(scroller.current);
          if (range !== undefined) quote(range);
        }}
      >
        {t("quote.action")}
      </Button>
    </div>
  );
}

/** Below the last line of a range, where touch screens show no menu of their own, within the sides of the thread. */
function placeBelow(range: Range, scroller: HTMLElement | null, box: HTMLElement | null) {
  const last = [...range.getClientRects()].at(-1);
  if (last === undefined || scroller === null || box === null) return undefined;
  const frame = scroller.getBoundingClientRect();
  const end = getComputedStyle(elementAt(range)).direction === "rtl" ? last.left : last.right;
  const left = end - frame.left - box.offsetWidth / 2;
  return {
    top: last.bottom - frame.top + scroller.scrollTop + gap,
    left: Math.max(gap, Math.min(left, scroller.clientWidth - box.offsetWidth - gap)),
  };
}

function elementAt({ endContainer }: Range): Element {
  return endContainer instanceof Element ? endContainer : (endContainer.parentElement ?? document.body);
}
