import type { Phrase } from "#storage/database/full-text.ts";
import { isId } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import { labelKey, labelName } from "#contract/labels/labels.ts";
import { periodStart } from "./period.ts";
import { wordsOf, type Word } from "./indexed-words.ts";

/** A parsed search query. */
export type Query = {
  all: Phrase[];
  none: Phrase[];
  /** Only in threads whose title has all of these, or which are in the folder with this name. */
  inTitle: Phrase[];
  inFolders: Set<string>;
  /** The names of tags that a thread must have and must not have, without regard to case. */
  tags: { all: Set<string>; none: Set<string> };
  inThread: string | undefined;
  archived: boolean | undefined;
  /** Only files. */
  inFiles: boolean;
  /** Milliseconds since 1970; `after` itself is included. */
  after: number | undefined;
  before: number | undefined;
  /** Filters that could not be parsed, as they were typed. */
  ignored: string[];
};

/** Far below what both engines accept in one expression. */
const phrasesMax = 32;

// `in:"a b"`, `-"a b"`, `"a b"`, or text between spaces. An open quote reaches to the end.
// `--amend` and `-5` are not exclusions.
const termPattern = /((?:-(?![-\d]))?)(?:([a-z]+):)?(?:"([^"]*)("|$)|(\S+))/giu;

/** Typographic quotes, and those of other languages. */
const otherQuotes = /[“”„‟«»]/gu;

/**
 * Parses words, `"phrases"`, `-exclusions`, `in:`, `tag:` and `-tag:`, `before:`, `after:`, `archived:` and `has:file`. The last word is a
 * prefix unless a space follows it. Everything else is treated as words. Never throws. Days begin in `timeZone`.
 */
export function parseQuery(text: string, timeZone: string): Query {
  const query: Query = {
    all: [],
    none: [],
    inTitle: [],
    inFolders: new Set(),
    tags: { all: new Set(), none: new Set() },
    inThread: undefined,
    archived: undefined,
    inFiles: false,
    after: undefined,
    before: undefined,
    ignored: [],
  };
  for (const match of text.replaceAll(otherQuotes, '"').matchAll(termPattern)) {
    const { 0: whole, 1: minus, 2: key = "", 3: quoted, 4: closed, 5: unquoted } = match;
    const value = quoted ?? unquoted ?? "";
    const isOpen = match.index + whole.length === text.length && closed !== '"';
    if (key.toLowerCase() === "tag") {
      addTag(query, minus === "" ? "all" : "none", value);
      continue;
    }
    if (minus === "" && applyFilter(query, key.toLowerCase(), value, isOpen, timeZone)) continue;
    const words = [...wordsOf(key === "" ? value : `${key}:${value}`)];
    const list = minus === "" ? query.all : query.none;
    if (words.length === 0) continue;
    if (list.length >= phrasesMax) query.ignored.push(whole);
    else list.push(toPhrase(words, isOpen));
  }
  return query;
}

/** Whether the query has words or filters. */
export function hasCriteria(query: Query): boolean {
  const { all, none, inFolders, tags, inThread, archived, inFiles, after, before } = query;
  return (
    all.length + none.length + inFolders.size + tags.all.size + tags.none.size > 0 ||
    inFiles ||
    [inThread, archived, after, before].some((value) => value !== undefined)
  );
}

/** Without a name, and after as many as a thread can have, the filter is ignored. */
function addTag({ tags, ignored }: Query, list: "all" | "none", value: string): void {
  const key = labelKey(labelName(value));
  if (key === "" || tags[list].size >= limits.tagsPerThread) ignored.push(`tag:${value}`);
  else tags[list].add(key);
}

/** Whether `key` is a filter. If its value is valid, it is added to `query`. */
function applyFilter(query: Query, key: string, value: string, isOpen: boolean, timeZone: string): boolean {
  const ignore = (): void => void query.ignored.push(`${key}:${value}`);
  switch (key) {
    case "in": {
      const words = [...wordsOf(value)];
      // It may have no words, only punctuation.
      const folder = labelKey(labelName(value));
      if (isId("thread", value)) query.inThread = value;
      else if (folder === "") ignore();
      else {
        if (words.length > 0) query.inTitle.push(toPhrase(words, isOpen));
        query.inFolders.add(folder);
      }
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
      const archived = booleans.get(value.toLowerCase());
      if (archived === undefined) ignore();
      else query.archived = archived;
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

const booleans = new Map([
  ["true", true],
  ["yes", true],
  ["only", true],
  ["false", false],
  ["no", false],
]);

/** The phrase to look up. Its last word is a prefix while it is still being typed. */
function toPhrase(words: Word[], isOpen: boolean): Phrase {
  const terms = words.map(({ term }) => term);
  const last = words.at(-1)!;
  if (last.pairEnd === undefined) return { words: terms, prefix: isOpen && last.term.length > 1 };
  // A pair includes its second character. A character alone is the prefix of any pair.
  const before = words.at(-2);
  if (before?.pairEnd === last.end) return { words: terms.slice(0, -1) };
  return { words: terms, prefix: true };
}
