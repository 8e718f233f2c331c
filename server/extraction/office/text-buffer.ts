import { cutText } from "#contract/text.ts";

/** The buffer is full, so the rest of the document need not be read. */
export class LimitReachedError extends Error {
  override readonly name = "LimitReachedError";
}

export type TextBuffer = ReturnType<typeof createTextBuffer>;

/** Collects text up to a limit. */
export function createTextBuffer(charactersMax: number) {
  const chunks: string[] = [];
  let length = 0;
  let last = "\n";
  return {
    /** Throws `LimitReachedError` when the limit is reached. */
    add(text: string): void {
      if (text === "") return;
      chunks.push(cutText(text, charactersMax - length));
      length += text.length;
      last = text.at(-1)!;
      if (length >= charactersMax) throw new LimitReachedError();
    },
    /** Ends the line, unless it is empty. */
    newLine(): void {
      if (last !== "\n") this.add("\n");
    },
    text: () => chunks.join("").trim(),
  };
}
