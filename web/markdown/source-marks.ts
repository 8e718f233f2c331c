import type { MarkedSource } from "./source-marks-context.ts";

/** A text between marks, or the number of a source. */
type Piece = string | number;

/**
 * Splits a text at marks such as `[1]` and `[2, 3]` of sources that exist. After a letter, digit or parenthesis, as in
 * `begin[2][3]`, the marks must end the word. What follows another bracket, an operator or a usual name of an array is an
 * index or a list.
 */
export function splitAtMarks(text: string, count: number): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const { 0: mark, 1: list = "", index } of text.matchAll(/\[(\d{1,3}(?:, ?\d{1,3})*)\]/g)) {
    const numbers = list.split(",").map(Number);
    if (numbers.some((number) => number < 1 || number > count)) continue;
    const follows = text.slice(Math.max(end, index - 3), index);
    if (/[\]}_]$|[=+*/<>]\s*$/.test(follows) || arrayName.test(text.slice(end, index))) continue;
    if (/[\p{L}\p{N})]$/u.test(follows) && !/^(?:\[\d[\d, ]*\])*(?![\w[(]|\.\w)/.test(text.slice(index)))
      continue;
    pieces.push(text.slice(end, index), ...numbers);
    end = index + mark.length;
  }
  return [...pieces, text.slice(end)].filter((piece) => piece !== "");
}

/** No words that a sentence could end with. */
const arrayName = /(?:^|[^\p{L}\p{N}’'])(?:[a-z]|arr|args|argv)$/u;

/** Whether a text may have marks. Most have none, and are shown without a look at the sources. */
export function mayHaveMarks(text: string): boolean {
  return text.includes("[") && /\[\d/.test(text);
}

/** Whether the text of a link is only the source's number, as in `[[1]](address)`, or nothing. */
export function isMarkOf(number: number, text: string): boolean {
  return ["", `${number}`, `[${number}]`].includes(text.trim());
}

/** The number of the source with this address. */
export function numberOfSource(sources: readonly MarkedSource[], address: string): number | undefined {
  const wanted = comparable(address);
  const index = sources.findIndex(({ url }) => url !== undefined && comparable(url) === wanted);
  return index === -1 ? undefined : index + 1;
}

/** An address without what providers and models write differently: OpenAI's mark, the fragment, a slash at the end. */
function comparable(address: string): string {
  try {
    const url = new URL(address);
    url.hash = "";
    url.searchParams.delete("utm_source");
    return url.href.replace(/\/$/, "");
  } catch {
    return address;
  }
}
