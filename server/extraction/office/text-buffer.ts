import { cutText } from "#contract/text.ts";

/** The buffer is full, so the rest of the document need not be read. */
export class LimitReachedError extends Error {
  override readonly name = "LimitReachedError";
}

/** Collects text up to a limit. */
export type TextBuffer = {
  /** Throws `LimitReachedError` when the limit is reached. */
  add(text: string): void;
  /** Ends the line, unless it is empty. */
  newLine(): void;
  text(): string;
};

export function createTextBuffer(charactersMax: number): TextBuffer {
  const chunks: string[] = [];
  let length = 0;
  let last = "\n";
  return {
    add(text) {
      if (text === "") return;
      chunks.push(cutText(text, charactersMax - length));
      length += text.length;
      last = text.at(-1)!;
      if (length >= charactersMax) throw new LimitReachedError();
    },
    newLine() {
      if (last !== "\n") this.add("\n");
    },
    text: () => chunks.join("").trim(),
  };
}
