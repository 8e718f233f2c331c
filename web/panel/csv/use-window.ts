import { type RefObject, useEffect, useRef, useState } from "react";

/** Pixels at the normal text size, as in the style sheet. */
const rowHeightRem = 2;

/** Rows above and below those on the screen. */
const overscan = 20;

/** Browsers cannot lay out taller boxes, in pixels. Rows beyond are found by sorting and filtering. */
const heightMax = 30_000_000;

/** The rows that are on the screen of a scrolling box, with the heights of those above and below. */
export function useWindow(count: number): {
  box: RefObject<HTMLDivElement | null>;
  first: number;
  last: number;
  above: number;
  below: number;
} {
  const box = useRef<HTMLDivElement>(null);
  const [visible, setVisible] = useState({ first: 0, last: 2 * overscan, rowHeight: 32 });
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const update = () => {
      const rowHeight = rowHeightRem * parseFloat(getComputedStyle(document.documentElement).fontSize);
      // In steps, so that not every event renders.
      const top = Math.floor(element.scrollTop / rowHeight / 10) * 10;
      const first = Math.max(0, top - overscan);
      const last = top + Math.ceil(element.clientHeight / rowHeight) + 10 + overscan;
      setVisible((before) =>
        before.first === first && before.last === last && before.rowHeight === rowHeight
          ? before
          : { first, last, rowHeight },
      );
    };
    const observer = new ResizeObserver(update);
    observer.observe(element);
    element.addEventListener("scroll", update, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", update);
    };
  }, []);
  const { rowHeight } = visible;
  const shown = Math.min(count, Math.floor(heightMax / rowHeight));
  const first = Math.min(visible.first, Math.max(0, shown - overscan));
  const last = Math.min(visible.last, shown);
  return { box, first, last, above: first * rowHeight, below: (shown - last) * rowHeight };
}
