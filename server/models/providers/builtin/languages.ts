import { languageOf } from "#server/search/passages/languages.ts";
import { arabic } from "./languages/ar.ts";
import { english } from "./languages/en.ts";

/** What the built-in assistant reads and says in one language. To add one: its file, and its line below. */
export type Language = {
  /** For the numbers and dates of an answer. */
  locale: string;
  /**
   * What people write, by what the calculator calls it. The values are regular expressions over text that `fold` made;
   * `#` is a number. They are applied in their order; "" is for words that ask for nothing.
   */
  sums: Rewrites;
  /** The same for questions about dates: "date", "clock", "until", "since", "between", "and", and "many day" for a count. */
  dates: Rewrites;
  /** The words that dates are made of, as a regular expression. */
  calendar: string;
  /** How a question or a search begins. Questions that end with a question mark need no such word. */
  question: string;
  /** Messages that need no tool, and the question for recent threads. Each is matched against the whole message. */
  talk: Record<"greeting" | "thanks" | "about" | "connect" | "recent", string>;
  phrases: Phrases;
};

export type Rewrites = Readonly<Record<string, string>>;

/** All are Markdown. Names and titles come ready for it. */
export type Phrases = {
  hello: string;
  welcome: string;
  about: string;
  noModel: string;
  /** Another model could answer. */
  choose(model: string): string;
  howToConnect: string;
  howToConnectShort: string;
  cannot: string;
  keptFiles(names: string): string;
  unreadFiles(names: string): string;
  found: string;
  /** No passage has all that was asked. */
  foundInPart: string;
  onlyQuoted: string;
  searchFailed: string;
  recent: string;
  noThreads: string;
  you: string;
  assistant: string;
  page(page: number): string;
  inThread(title: string): string;
  untitled: string;
};

const languages: Readonly<Record<string, Language>> = { en: english, ar: arabic };

/** The language of a message; English where there is no entry for it. */
export async function languageFor(text: string): Promise<Language> {
  return languages[(await languageOf(text)).code] ?? english;
}

/** One way of writing: no marks over letters, the digits 0 to 9, ASCII signs. */
export function fold(text: string): string {
  return text
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .replace(/[\u0660-\u0669\u06f0-\u06f9\uff10-\uff19]/g, (digit) => String(digit.charCodeAt(0) & 0xf))
    .replace(/[٪٫٬؟’]/g, (sign) => ({ "٪": "%", "٫": ".", "٬": ",", "؟": "?" })[sign] ?? "'")
    .replace(/[$€£¥]/g, "")
    .replace(/\s+/g, " ")
    .trim();
}

/** Whether `pattern` is the whole of a folded message, but for what stands around its words. */
export function isWhole(folded: string, pattern: string): boolean {
  return new RegExp(String.raw`^[\s\p{P}]*(?:${fold(pattern)})[\s\p{P}\p{S}]*$`, "iu").test(folded);
}

/** `folded` with the words of a table replaced, and without the marks at its end. */
export function rewrite(folded: string, table: Rewrites): string {
  return Object.entries(table)
    .reduce(
      (now, [to, from]) => now.replace(whole(from), ` ${to} `).replace(/\s+/g, " "),
      folded.replace(/[\s?.=:…]+$/, ""),
    )
    .replace(/^[\s:,،]+/, "")
    .trim();
}

const number = String.raw`(\d+(?:[.,]\d+)*)`;

function whole(pattern: string): RegExp {
  const folded = fold(pattern).replaceAll("#", () => number);
  return new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${folded})(?!\p{L})`, "giu");
}
