import { useEffect, useRef, useState } from "react";
import { isStill } from "#web/lib/motion.ts";

/**
 * Text as it is read, not as it arrives: what came in a burst is let out evenly over about this long, so that lines
 * grow instead of jumping. Less than the eye needs to fall behind, more than the pause between two bursts (25–100 ms).
 */
const spreadMs = 240;

/** 30 steps a second: twice as many look no smoother and cost twice as much. */
const stepMs = 33;

/** What is held back is never more than this; a reader would notice the lag. */
const heldMax = 600;

/**
 * `text`, let out at an even pace while `isRunning`. All of it at once when nothing runs, when it was there from the
 * start, when it was replaced, when the page is hidden, and for people who asked for less motion.
 */
export function usePaced(text: string, isRunning: boolean): string {
  const [shown, setShown] = useState(text.length);
  const latest = useRef(text);
  const isContinued = text.startsWith(latest.current);
  latest.current = text;
  const length =
    !isRunning || !isContinued ? text.length : Math.min(Math.max(shown, text.length - heldMax), text.length);

  useEffect(() => {
    if (length === text.length) {
      setShown(text.length);
      return undefined;
    }
    if (document.hidden || isStill()) {
      setShown(text.length);
      return undefined;
    }
    const timer = setTimeout(() => setShown(nextLength(text, length)), stepMs);
    return () => clearTimeout(timer);
  }, [text, length]);

  return length === text.length ? text : text.slice(0, length);
}

/** How much is shown one step later: a share of what waits, at least one character, and never half of a pair. */
export function nextLength(text: string, shown: number): number {
  const waiting = text.length - shown;
  const next = shown + Math.max(1, Math.ceil((waiting * stepMs) / spreadMs));
  const splitsPair = /[\uD800-\uDBFF]/.test(text.charAt(next - 1));
  return Math.min(text.length, splitsPair ? next + 1 : next);
}
