import { useEffect, useRef, useState } from "react";
import { isMotionReduced } from "#web/lib/motion.ts";

/**
 * Text that arrives in a burst is revealed evenly over about this time, so that lines grow smoothly. Longer than the
 * pause between two bursts (25–100 ms), and too short to be noticed as a delay.
 */
const spreadMs = 240;

/** 30 steps a second: twice as many look no smoother and cost twice as much. */
const stepMs = 33;

/** Characters. More hidden text than this would be a visible lag. */
const hiddenMax = 600;

/**
 * `text`, revealed at an even pace while `isRunning`. It is shown at once if the run has ended, if it was there from the
 * start, if it was replaced, if the page is hidden, and with reduced motion.
 */
export function usePacedText(text: string, isRunning: boolean): string {
  const [shown, setShown] = useState(text.length);
  const latest = useRef(text);
  const isContinued = text.startsWith(latest.current);
  latest.current = text;
  const length =
    !isRunning || !isContinued
      ? text.length
      : Math.min(Math.max(shown, text.length - hiddenMax), text.length);

  useEffect(() => {
    if (length === text.length) {
      setShown(text.length);
      return undefined;
    }
    if (document.hidden || isMotionReduced()) {
      setShown(text.length);
      return undefined;
    }
    const timer = setTimeout(() => setShown(nextLength(text, length)), stepMs);
    return () => clearTimeout(timer);
  }, [text, length]);

  return length === text.length ? text : text.slice(0, length);
}

/** The visible length one step later: a share of the hidden text, at least one character, never half a surrogate pair. */
export function nextLength(text: string, shown: number): number {
  const hidden = text.length - shown;
  const next = shown + Math.max(1, Math.ceil((hidden * stepMs) / spreadMs));
  const splitsPair = /[\uD800-\uDBFF]/.test(text.charAt(next - 1));
  return Math.min(text.length, splitsPair ? next + 1 : next);
}
