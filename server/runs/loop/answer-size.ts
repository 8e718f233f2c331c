import type { Json } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import type { Part } from "#contract/parts/kinds.ts";
import type { RunEvent } from "#contract/run-events.ts";

/** The size of an answer, including what earlier runs wrote of it. */
export type AnswerSize = {
  add(event: RunEvent): void;
  /** Whether the answer is larger than the server stores. */
  isTooLong(): boolean;
};

/** `before` is the answer so far. */
export function sizeOfAnswer(before: readonly Part[]): AnswerSize {
  let characters = before.length === 0 ? 0 : JSON.stringify(before).length;
  let parts = before.length;
  return {
    add(event) {
      characters += charactersOf(event);
      if ("part" in event) parts = Math.max(parts, event.part + 1);
    },
    isTooLong: () => characters > limits.runBytesMax || parts > limits.runPartsMax,
  };
}

/** The characters that an event of any kind adds: its texts, and its other values as JSON. */
function charactersOf(event: RunEvent): number {
  let characters = 0;
  for (const [name, value] of Object.entries(event) as [string, Json][]) {
    if (typeof value === "string") characters += name === "type" ? 0 : value.length;
    else if (typeof value === "object") characters += JSON.stringify(value).length;
  }
  return characters;
}
