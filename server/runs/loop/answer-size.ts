import { limits } from "#contract/limits.ts";
import type { Part } from "#contract/parts/kinds.ts";
import type { RunEvent } from "#contract/run-events.ts";
import { ModelError } from "#server/models/model.ts";

/** The size of an answer, including what earlier runs wrote of it. */
export type AnswerSize = {
  /** Counts the event and returns it. Throws `answer-too-long` if the answer would be larger than the server stores. */
  count(event: RunEvent): RunEvent;
  /** Throws `answer-too-long` if the answer is larger already. */
  check(): void;
};

/** `before` is the answer so far. */
export function sizeOfAnswer(before: readonly Part[]): AnswerSize {
  let bytes = before.length === 0 ? 0 : jsonBytes(before);
  let parts = before.length;

  function check(): void {
    if (bytes > limits.runBytesMax || parts > limits.runPartsMax) throw new ModelError("answer-too-long");
  }

  return {
    count(event) {
      bytes += addedBytes(event);
      if ("part" in event) parts = Math.max(parts, event.part + 1);
      check();
      return event;
    },
    check,
  };
}

/** What an event of any kind adds: the JSON of its values. Its own names and numbers are not stored for each piece. */
function addedBytes(event: RunEvent): number {
  let bytes = 0;
  for (const [name, value] of Object.entries(event))
    if (typeof value !== "number" && name !== "type") bytes += jsonBytes(value);
  return bytes;
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
