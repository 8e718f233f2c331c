import { type RefObject, useEffect, useState } from "react";

/** CSS pixels: the column of words, and room for the outline beside it. */
const widePx = 980;

/** Whether the bar above the thread, which is as wide as the thread, is wide; `undefined` until it is measured. */
export function useIsWide(place: RefObject<HTMLElement | null>): boolean | undefined {
  const [isWide, setWide] = useState<boolean>();
  useEffect(() => {
    const bar = place.current?.parentElement;
    if (bar == null) return undefined;
    const observer = new ResizeObserver(() => setWide(bar.clientWidth >= widePx));
    observer.observe(bar);
    return () => observer.disconnect();
  }, [place]);
  return isWide;
}
