import { limits } from "#contract/limits.ts";
import type { Part } from "#contract/parts/kinds.ts";
import type { RunEvent } from "#contract/run-events.ts";

/** How much an answer holds, what an earlier run said of it included. */
export type AnswerSize = {
  add(event: RunEvent): void;
  /** Whether it is more than is kept. */
  isTooLong(): boolean;
};

/** `before` is what the answer holds already. */
export function sizeOfAnswer(before: readonly Part[]): AnswerSize {
  let bytes = before.length === 0 ? 0 : JSON.stringify(before).length;
  let parts = before.length;
  return {
    add(event) {
      bytes += bytesOf(event);
      if ("part" in event) parts = Math.max(parts, event.part + 1);
    },
    isTooLong: () => bytes > limits.runBytesMax || parts > limits.runPartsMax,
  };
}

function bytesOf(event: RunEvent): number {
  if (event.type === "text-delta" || event.type === "reasoning-delta") return event.text.length;
  if (event.type === "tool-call-delta") return event.args_text.length;
  if (event.type === "tool-call-result") return JSON.stringify(event.result).length;
  if (event.type === "image-add") return event.image.image.length;
  if (event.type === "file-add") return event.file.data.length;
  return 0;
}
