import { useEffect, useState } from "react";
import { endOfLines } from "./parse-cost.ts";

/** A longer text is shown over several frames, so that it does not block the page. */
const stepMax = { work: 4_000, lines: 100 };
const halfStep = { work: 2_000, lines: 50 };
/** Characters of one line in a step. */
const lineMax = 20_000;

/** Texts of all messages that are not shown completely yet. The last one advances first: readers start at the end. */
const waiting: (() => void)[] = [];
let isScheduled = false;

/**
 * The beginning of `text` that is shown in this frame. One text of the page grows by one step in each frame, until all
 * are complete. Deltas of a complete text are shown at once.
 */
export function useGradualText(text: string): string {
  const [shown, setShown] = useState(() => nextStep(text, 0));
  const isComplete = nextStep(text, shown) === text.length;
  // Not on every delta, because each one would render twice.
  if (isComplete && endOfLines(text.slice(shown), halfStep) !== 0) setShown(text.length);
  // `undefined` while all is shown, so that no delta runs the effect.
  const incomplete = isComplete ? undefined : text;
  useEffect(() => {
    if (incomplete === undefined) return undefined;
    const advance = () => setShown(nextStep(incomplete, shown));
    waiting.push(advance);
    schedule();
    return () => {
      const i = waiting.indexOf(advance);
      if (i !== -1) waiting.splice(i, 1);
    };
  }, [incomplete, shown]);
  return isComplete ? text : text.slice(0, shown);
}

function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  // A timer after the frame lets the page handle input and paint between two steps. Hidden pages have no frames.
  const run = () =>
    setTimeout(() => {
      isScheduled = false;
      waiting.pop()?.();
      if (waiting.length > 0) schedule();
    });
  if (document.hidden) run();
  else requestAnimationFrame(run);
}

/** The length after one more step, which ends with a line if possible. */
function nextStep(text: string, shown: number): number {
  const rest = text.slice(shown);
  const end = endOfLines(rest, stepMax);
  return shown + Math.min(end === 0 ? rest.length : end, lineMax);
}
