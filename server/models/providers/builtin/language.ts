/** What the built-in assistant understands and writes in one language. A new one is a file and an entry in `choose-language.ts`. */
export type Language = {
  /** For numbers and dates in answers. */
  locale: string;
  /**
   * What people write, by what the calculator expects. The values are regular expressions for text from `fold`; `#` is a
   * number. They are applied in order; "" is for words to remove.
   */
  sums: Rewrites;
  /** Like `sums`, for dates: "date", "clock", "until", "since", "between" and "and". */
  dates: Rewrites;
  /** A regular expression for the words that dates consist of. */
  calendar: string;
  /** How questions and searches without a question mark begin. */
  question: string;
  /** The question for recent threads, as a whole message. */
  recent: string;
  phrases: Phrases;
};

export type Rewrites = Readonly<Record<string, string>>;

/** All are Markdown. Names and titles are already escaped. */
export type Phrases = {
  /** What the assistant can do: its answer to everything else. */
  about: string;
  noModel: string;
  /** Suggests another model. */
  choose(model: string): string;
  /** For people who can connect a model, and for those who cannot. */
  connect: string;
  askOperator: string;
  found: string;
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
