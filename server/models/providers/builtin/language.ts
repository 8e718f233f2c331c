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
