import type { SearchExcerpt } from "#contract/endpoints/search.ts";
import { cutText } from "#contract/text.ts";
import type { Phrase } from "#storage/database/full-text.ts";
import { wordsOf, type Word } from "./words.ts";

/** Two lines of a list. */
const excerptCharacters = 220;
/** How much of it stands before the first hit. */
const leadCharacters = 50;
/** A longer text is not read further for its excerpt, but shown from its beginning. */
const scanCharactersMax = 100_000;
const hitsMax = 500;

type Hit = { wanted: number; start: number; end: number };

/** The piece of `text` where most of what is wanted stands together, with each hit marked. */
export function excerptOf(text: string, wanted: Phrase[]): SearchExcerpt {
  return excerptIn(text, wanted).excerpt;
}

/** The same with the place of its first hit, in UTF-16 units; `undefined` where there is none. */
export function excerptIn(
  text: string,
  wanted: Phrase[],
): { excerpt: SearchExcerpt; hitAt: number | undefined } {
  const scanned = cutText(text, scanCharactersMax);
  const hits = hitsIn(scanned, wanted);
  const bestOne = bestHit(hits);
  const start = windowStart(scanned, bestOne);
  const end = windowEnd(scanned, start);
  const pieces: SearchExcerpt = [];
  let at = start;
  for (const hit of hits) {
    if (hit.start < at || hit.end > end) continue;
    push(pieces, scanned.slice(at, hit.start), false);
    push(pieces, scanned.slice(hit.start, hit.end), true);
    at = hit.end;
  }
  push(pieces, scanned.slice(at, end), false);
  if (start > 0) pieces.unshift({ text: "… ", hit: false });
  if (end < text.length) pieces.push({ text: " …", hit: false });
  return { excerpt: pieces, hitAt: bestOne?.start };
}

/** All of a short text as it is, with each hit marked. */
export function marked(text: string, wanted: Phrase[]): SearchExcerpt {
  const pieces: SearchExcerpt = [];
  let at = 0;
  for (const { start, end } of hitsIn(text, wanted)) {
    if (start < at) continue;
    if (start > at) pieces.push({ text: text.slice(at, start), hit: false });
    pieces.push({ text: text.slice(start, end), hit: true });
    at = end;
  }
  if (at < text.length) pieces.push({ text: text.slice(at), hit: false });
  return pieces;
}

/** Every place where something wanted stands, in the order of the text. */
function hitsIn(text: string, wanted: Phrase[]): Hit[] {
  const hits: Hit[] = [];
  const longest = Math.max(1, ...wanted.map(({ words }) => words.length));
  const recent: Word[] = [];
  for (const word of wordsOf(text)) {
    recent.push(word);
    if (recent.length > longest) recent.shift();
    for (const [index, one] of wanted.entries()) {
      const row = recent.slice(-one.words.length);
      if (isRow(row, one)) hits.push({ wanted: index, start: row[0]!.start, end: endOf(row, one) });
    }
    if (hits.length >= hitsMax) break;
  }
  return hits.toSorted((a, b) => a.start - b.start || b.end - a.end);
}

function isRow(row: Word[], { words, prefix }: Phrase): boolean {
  if (row.length < words.length) return false;
  return words.every((term, index) =>
    prefix === true && index === words.length - 1
      ? row[index]!.term.startsWith(term)
      : row[index]!.term === term,
  );
}

/** A pair that was wanted whole ends with its second character. */
function endOf(row: Word[], { words }: Phrase): number {
  const { term, end, pairEnd } = row.at(-1)!;
  return pairEnd !== undefined && words.at(-1) === term ? pairEnd : end;
}

/** The first of those hits that have the most different ones close behind them. */
function bestHit(hits: Hit[]): Hit | undefined {
  const span = excerptCharacters - leadCharacters;
  let best: { hit: Hit; different: number } | undefined;
  for (const [index, hit] of hits.entries()) {
    const near = new Set<number>();
    for (let other = index; other < hits.length && hits[other]!.end <= hit.start + span; other++)
      near.add(hits[other]!.wanted);
    if (best === undefined || near.size > best.different) best = { hit, different: near.size };
  }
  return best?.hit;
}

function windowStart(text: string, hit: Hit | undefined): number {
  if (hit === undefined || hit.start <= leadCharacters) return 0;
  const from = hit.start - leadCharacters;
  const space = text.slice(from, hit.start).search(/\s/);
  return afterPair(text, space === -1 ? from : from + space + 1);
}

function windowEnd(text: string, start: number): number {
  if (text.length - start <= excerptCharacters) return text.length;
  const window = text.slice(start, start + excerptCharacters);
  const space = window.search(/\s\S*$/);
  return afterPair(text, start + (space > excerptCharacters / 2 ? space : excerptCharacters));
}

/** Never between the halves of a surrogate pair. */
function afterPair(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff ? at + 1 : at;
}

/** Without line breaks, and without the marks of Markdown that only lay out. */
function push(pieces: SearchExcerpt, text: string, hit: boolean): void {
  const plain = text
    .replace(/\*\*|__|`+|(?:^|\n)\s*(?:#{1,6}|>|[-*])\s+/g, (mark) => (mark.includes("\n") ? " " : ""))
    .replace(/\\([$[\]_*~|<>])/g, "$1")
    .replaceAll("&#91;", "[")
    .replace(/(?<![\p{L}\p{N}*\\])\*(?=[\p{L}\p{N}])|(?<=[\p{L}\p{N}.!?\])])\*(?![\p{L}\p{N}*])/gu, "")
    .replace(/\s+/g, " ");
  if (plain !== "") pieces.push({ text: plain, hit });
}
