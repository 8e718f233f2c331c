import type { Results } from "./recognizer.ts";

/**
 * Returns a function that gives the text of a field with what was dictated so far at the place where the dictation began.
 * After the person has changed the text, what is dictated next comes at its end.
 */
export function createDictatedText(start: {
  text: string;
  from: number;
  to: number;
}): (current: string, results: Results) => string {
  let before = start.text.slice(0, start.from);
  let after = start.text.slice(start.to);
  let written = start.text;
  let firstResult = 0;
  let known = 0;
  return (current, results) => {
    if (current !== written) {
      [before, after] = [current, ""];
      firstResult = known;
    }
    known = results.length;
    const words = Array.from(results)
      .slice(firstResult)
      .map((result) => result[0]?.transcript.trim() ?? "")
      .filter((piece) => piece !== "")
      .join(" ");
    written = spaced(spaced(before, words), after);
    return written;
  };
}

function spaced(before: string, after: string): string {
  const isApart = before === "" || after === "" || /\s$/.test(before) || /^[\s.,;:!?]/.test(after);
  return isApart ? before + after : `${before} ${after}`;
}
