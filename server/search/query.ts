import type { Phrase } from "#storage/database/full-text.ts";
import { isId } from "#contract/ids.ts";
import { periodStart } from "./period.ts";
import { wordsOf, type Word } from "./words.ts";

/** What a person typed into the search field, understood. */
export type Query = {
  all: Phrase[];
  none: Phrase[];
  /** Only in threads whose title has all of these. */
  inTitle: Phrase[];
  inThread: string | undefined;
  archived: boolean | undefined;
  /** Only what stands in files. */
  inFiles: boolean;
  /** Milliseconds since 1970; `after` itself is included. */
  after: number | undefined;
  before: number | undefined;
  /** What could not be understood and was left out, as it was typed. */
  ignored: string[];
};

/** More is no search; 32 is also far below what either engine takes in one expression. */
const wantedMax = 32;

// `in:"a b"`, `-"a b"`, `"a b"`, or whatever stands between spaces. An open quote reaches to the end.
// `--amend` and `-5` are words of a command and a number: nobody who types them wants them left out.
const typedPieces = /((?:-(?![-\d]))?)(?:([a-z]+):)?(?:"([^"]*)("|$)|(\S+))/giu;

/** What keyboards put in the place of a straight quote, and what other languages quote with. */
const otherQuotes = /[“”„‟«»]/gu;

/**
 * Understands words, `"words in a row"`, `-without`, `in:`, `before:`, `after:`, `archived:` and `has:file`. The last word
 * may go on unless a space follows it. Anything else is taken as words; nothing throws. Days begin when they do in `timeZone`.
 */
export function parseQuery(typed: string, timeZone: string): Query {
  const query: Query = {
    all: [],
    none: [],
    inTitle: [],
    inThread: undefined,
    archived: undefined,
    inFiles: false,
    after: undefined,
    before: undefined,
    ignored: [],
  };
  for (const match of typed.replaceAll(otherQuotes, '"').matchAll(typedPieces)) {
    const { 0: whole, 1: minus, 2: key = "", 3: inQuotes, 4: closed, 5: bare } = match;
    const value = inQuotes ?? bare ?? "";
    const open = match.index + whole.length === typed.length && closed !== '"';
    if (minus === "" && filter(query, key.toLowerCase(), value, open, timeZone)) continue;
    const words = [...wordsOf(key === "" ? value : `${key}:${value}`)];
    const list = minus === "" ? query.all : query.none;
    if (words.length === 0) continue;
    if (list.length >= wantedMax) query.ignored.push(whole);
    else list.push(wantedOf(words, open));
  }
  return query;
}

/** Whether anything is looked for: words, or what filters say without any. */
export function isAsking(query: Query): boolean {
  const { all, none, inTitle, inThread, archived, inFiles, after, before } = query;
  return (
    all.length + none.length + inTitle.length > 0 ||
    inFiles ||
    [inThread, archived, after, before].some((said) => said !== undefined)
  );
}

/** Whether `key` is a filter; its value is put into `query` where it is understood. */
function filter(query: Query, key: string, value: string, open: boolean, timeZone: string): boolean {
  const ignore = (): void => void query.ignored.push(`${key}:${value}`);
  switch (key) {
    case "in": {
      const words = [...wordsOf(value)];
      if (isId("thread", value)) query.inThread = value;
      else if (words.length > 0) query.inTitle.push(wantedOf(words, open));
      else ignore();
      return true;
    }
    case "before":
    case "after": {
      const start = periodStart(value, timeZone);
      if (start === undefined) ignore();
      else query[key] = start;
      return true;
    }
    case "archived": {
      const said = answers.get(value.toLowerCase());
      if (said === undefined) ignore();
      else query.archived = said;
      return true;
    }
    case "has":
      if (/^files?$/i.test(value)) query.inFiles = true;
      else ignore();
      return true;
    default:
      return false;
  }
}

const answers = new Map([
  ["true", true],
  ["yes", true],
  ["only", true],
  ["false", false],
  ["no", false],
]);

/** Words in a row, as they are looked up; the last may go on where it is still being typed. */
function wantedOf(words: Word[], open: boolean): Phrase {
  const terms = words.map(({ term }) => term);
  const last = words.at(-1)!;
  if (last.pairEnd === undefined) return { words: terms, prefix: open && last.term.length > 1 };
  // A pair says what its second character is; alone, a character is the beginning of any pair.
  const before = words.at(-2);
  if (before?.pairEnd === last.end) return { words: terms.slice(0, -1) };
  return { words: terms, prefix: true };
}
