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
  let withoutWords = start.text;
  let written = start.text;
  let firstWord = 0;
  let known = 0;
  return (current, results) => {
    if (current !== written) {
      [before, after, withoutWords] = [current, "", current];
      // A piece that is not final may still grow, so words are counted, not pieces.
      firstWord = known;
    }
    const words = Array.from(results).flatMap((result) => result[0]?.transcript.match(/\S+/g) ?? []);
    known = Math.max(firstWord, words.length);
    const said = words.slice(firstWord).join(" ");
    written = said === "" ? withoutWords : spaced(spaced(before, said), after);
    return written;
  };
}

function spaced(before: string, after: string): string {
  const isApart = before === "" || after === "" || /\s$/.test(before) || /^[\s.,;:!?]/.test(after);
  return isApart ? before + after : `${before} ${after}`;
}
