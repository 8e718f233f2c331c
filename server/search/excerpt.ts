import type { SearchExcerpt } from "#contract/endpoints/search.ts";
import { cutText } from "#contract/text.ts";
import type { Phrase } from "#storage/database/full-text.ts";
import { wordsOf, type Word } from "./indexed-words.ts";

/** Two lines of a list. */
const excerptCharacters = 220;
/** How much text precedes the first hit. */
const leadCharacters = 50;
/** Hits after this are ignored: the excerpt is then the beginning of the text. */
const scanCharactersMax = 100_000;
const hitsMax = 500;

type Hit = { phrase: number; start: number; end: number };

/** The part of `text` where most of the phrases are close together, with each hit marked. */
export function excerptOf(text: string, phrases: Phrase[]): SearchExcerpt {
  return excerptWithPosition(withoutAddresses(cutText(text, scanCharactersMax)), phrases).excerpt;
}

/** The text of Markdown links and images without their addresses. Done before hits are marked: one can be in a link's text. */
function withoutAddresses(text: string): string {
  return text.replace(
    /!?\[([^[\]\n]{1,300})\]\((?:[^()\s]|\([^()\s]*\)){1,2000}(?: "[^"\n]{0,300}")?\)/g,
    "$1",
  );
}

/** Like `excerptOf`, with the position of the first hit in UTF-16 units; `undefined` if there is none. */
export function excerptWithPosition(
  text: string,
  phrases: Phrase[],
): { excerpt: SearchExcerpt; hitAt: number | undefined } {
  const scanned = cutText(text, scanCharactersMax);
  const hits = findHits(scanned, phrases);
  const first = bestHit(hits);
  const start = windowStart(scanned, first);
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
  return { excerpt: pieces, hitAt: first?.start };
}

/** A whole short text with each hit marked. */
export function markHits(text: string, phrases: Phrase[]): SearchExcerpt {
  const pieces: SearchExcerpt = [];
  let at = 0;
  for (const { start, end } of findHits(text, phrases)) {
    if (start < at) continue;
    if (start > at) pieces.push({ text: text.slice(at, start), hit: false });
    pieces.push({ text: text.slice(start, end), hit: true });
    at = end;
  }
  if (at < text.length) pieces.push({ text: text.slice(at), hit: false });
  return pieces;
}

/** Every hit in the order of the text. */
function findHits(text: string, phrases: Phrase[]): Hit[] {
  const hits: Hit[] = [];
  const longest = Math.max(1, ...phrases.map(({ words }) => words.length));
  const recent: Word[] = [];
  for (const word of wordsOf(text)) {
    recent.push(word);
    if (recent.length > longest) recent.shift();
    for (const [index, phrase] of phrases.entries()) {
      const row = recent.slice(-phrase.words.length);
      if (isMatch(row, phrase)) hits.push({ phrase: index, start: row[0]!.start, end: endOf(row, phrase) });
    }
    if (hits.length >= hitsMax) break;
  }
  return hits.toSorted((a, b) => a.start - b.start || b.end - a.end);
}

function isMatch(row: Word[], { words, prefix }: Phrase): boolean {
  if (row.length < words.length) return false;
  return words.every((term, index) =>
    prefix === true && index === words.length - 1
      ? row[index]!.term.startsWith(term)
      : row[index]!.term === term,
  );
}

/** The end of a hit. A pair that matches as a whole ends with its second character. */
function endOf(row: Word[], { words }: Phrase): number {
  const { term, end, pairEnd } = row.at(-1)!;
  return pairEnd !== undefined && words.at(-1) === term ? pairEnd : end;
}

/** The first hit that is followed closely by the most different phrases. */
function bestHit(hits: Hit[]): Hit | undefined {
  const span = excerptCharacters - leadCharacters;
  let best: { hit: Hit; different: number } | undefined;
  for (const [index, hit] of hits.entries()) {
    const near = new Set<number>();
    for (let other = index; other < hits.length && hits[other]!.end <= hit.start + span; other++)
      near.add(hits[other]!.phrase);
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

/** Moves a position out of the middle of a surrogate pair. */
function afterPair(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff ? at + 1 : at;
}

/** Adds text without line breaks and Markdown syntax. */
function push(pieces: SearchExcerpt, text: string, hit: boolean): void {
  const plain = text
    .replace(/\*\*|__|`+|(?:^|\n)\s*(?:#{1,6}|>|[-*])\s+/g, (mark) => (mark.includes("\n") ? " " : ""))
    .replace(/\\([$[\]_*~|<>])/g, "$1")
    .replaceAll("&#91;", "[")
    .replace(/(?<![\p{L}\p{N}*\\])\*(?=[\p{L}\p{N}])|(?<=[\p{L}\p{N}.!?\])])\*(?![\p{L}\p{N}*])/gu, "")
    .replace(/\s+/g, " ");
  if (plain !== "") pieces.push({ text: plain, hit });
}
