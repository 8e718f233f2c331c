import { cutText } from "#contract/text.ts";

/** All that is wanted is there; what follows need not be read. */
export class EnoughError extends Error {
  override readonly name = "EnoughError";
}

/** Words as they are found in a document, up to a bound. */
export type Words = {
  /** Throws `EnoughError` once the bound is reached. */
  add(text: string): void;
  /** A new line, unless one has just begun. */
  line(): void;
  all(): string;
};

export function newWords(charactersMax: number): Words {
  const pieces: string[] = [];
  let length = 0;
  let last = "\n";
  return {
    add(text) {
      if (text === "") return;
      pieces.push(cutText(text, charactersMax - length));
      length += text.length;
      last = text.at(-1)!;
      if (length >= charactersMax) throw new EnoughError();
    },
    line() {
      if (last !== "\n") this.add("\n");
    },
    all: () => pieces.join("").trim(),
  };
}
