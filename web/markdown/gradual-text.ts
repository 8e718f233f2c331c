import { useEffect, useState } from "react";

/** Characters. A longer text is shown over several frames, so that it does not block the page. */
const stepMax = 4_000;

/** Texts of all messages that are not shown completely yet. The last one advances first: readers start at the end. */
const waiting: (() => void)[] = [];
let isScheduled = false;

/**
 * The beginning of `text` that is shown in this frame. One text of the page grows by one step in each frame, until all
 * are complete. Deltas of a complete text are shown at once.
 */
export function useGradualText(text: string): string {
  const [shown, setShown] = useState(() => nextStep(text, 0));
  const isComplete = text.length - shown <= stepMax;
  useEffect(() => {
    if (isComplete) {
      // Not on every delta, because each one would render twice.
      if (text.length - shown > stepMax / 2) setShown(text.length);
      return undefined;
    }
    const advance = () => setShown(nextStep(text, shown));
    waiting.push(advance);
    schedule();
    return () => {
      const i = waiting.indexOf(advance);
      if (i !== -1) waiting.splice(i, 1);
    };
  }, [text, shown, isComplete]);
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
export function nextStep(text: string, shown: number): number {
  const end = text.indexOf("\n", shown + stepMax) + 1;
  return end === 0 ? text.length : end;
}
