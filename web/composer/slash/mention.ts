/** A mention that is being typed: its `@` at `start`, and what follows up to the cursor. */
export type Mention = { start: number; typed: string };

/** The mention before the cursor. An `@` inside a word, as in an address, is none. */
export function mentionAt(text: string, cursor: number): Mention | undefined {
  const found = /(?:^|\s)@(?<typed>[^\s@]*)$/.exec(text.slice(0, cursor));
  const typed = found?.groups?.["typed"];
  return typed === undefined ? undefined : { start: cursor - typed.length - 1, typed };
}

/** The link by which a model can read a thread, for the text of a message. */
export function threadReference(id: string, title: string): string {
  return `[${title.replaceAll("[", "(").replaceAll("]", ")")}](/t/${id})`;
}
