import { ToolError } from "../tool.ts";

/**
 * Brackets in sums with percentages, so that each is one: the library takes a `%` before a sign for a remainder. A
 * percentage that is added to something or taken off it is one of what stands before it: `100 + 10% + 5` is
 * 110 + 5. Percentages alone are shares: `50% + 50%` is 1. Throws where it may as well be a remainder.
 */
export function percentages(text: string): string {
  if (!/%\s*[-+]/.test(text) || new RegExp(group).test(text)) return text;
  if (/\s%\s?[-+][\d.(]/.test(text))
    throw new ToolError(
      "The % may be a percentage or a remainder here. Write (10%) - 3 for a percentage, and mod(10, -3) for a remainder.",
    );
  const groups: string[] = [];
  let flat = text;
  // The innermost brackets first; each becomes one sign.
  for (let next = ""; ; flat = next) {
    next = flat.replace(/\(([^()]*)\)/g, (_, inside: string) => {
      groups.push(`(${sums(inside)})`);
      return String.fromCodePoint(firstGroup + groups.length - 1);
    });
    if (next === flat) break;
  }
  let written = sums(flat);
  // Each group holds only earlier ones.
  for (let at = groups.length - 1; at >= 0; at--)
    written = written.replace(String.fromCodePoint(firstGroup + at), () => groups[at]!);
  return written;
}

/** Private use: nobody writes them, and there are more than an expression has brackets. */
const firstGroup = 0xe000;
const group = String.raw`[\ue000-\uefff]`;
const number = String.raw`(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?`;
const isShare = new RegExp(String.raw`^\s*[-+]?\s*(?:${number}|${group})\s*%\s*$`, "i");
/** A percentage, not the remainder of what follows it. */
const share = new RegExp(String.raw`(?<![\w.])(${number}|${group})\s*%(?!\s*(?:[\w.√\[]|${group}))`, "gi");
/** A sign behind a thing, between two: not that of a number, nor of an exponent. */
const between = new RegExp(String.raw`(?<=(?:[\p{L}\d.%!'"\]°]|${group})\s*)(?<!\d\.?e)[-+]`, "giu");

/** What stands between commas and comparisons, or before "to", is a sum of its own. */
function sums(text: string): string {
  return text
    .split(/([,;:?=<>[\]()]|\s(?:in|into|as|to|and|or|xor)\s)/i)
    .map((piece, at) => (at % 2 === 0 && piece.includes("%") ? sum(piece) : piece))
    .join("");
}

function sum(text: string): string {
  const terms = termsOf(text);
  let sharesOnly = true;
  let written = "";
  for (const { sign, term } of terms) {
    const isOne = isShare.test(term);
    const bracketed = `${sign}${term.replace(share, "($1%)")}`;
    if (written === "" || !isOne || sharesOnly) written += bracketed;
    // The library would repeat what stands before, and that again with the next percentage.
    else written = `(${written.trim()}) * (1 ${sign} (${term.trim()})) `;
    sharesOnly &&= isOne;
  }
  return written;
}

function termsOf(text: string): { sign: string; term: string }[] {
  const signs = [...text.matchAll(between)].map(({ index }) => index);
  return [-1, ...signs].map((at, which) => ({
    sign: at === -1 ? "" : text[at]!,
    term: text.slice(at + 1, signs[which]),
  }));
}
