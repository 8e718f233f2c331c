import type { ModelEvent } from "#server/models/model.ts";

/**
 * Models that are asked to go on with a broken answer often begin anew or say its last words once more. Given what was
 * said, passes on what is new: text is held back while it could still be a repetition, and the repeated part of it is
 * dropped. A model that begins anew and then says something else cannot go on exactly: what it says is set apart as a
 * paragraph of its own.
 */
export function trimRepeat(said: string, events: AsyncIterable<ModelEvent>): AsyncIterable<ModelEvent> {
  return said === "" ? events : trimmed(said, events);
}

async function* trimmed(said: string, events: AsyncIterable<ModelEvent>): AsyncGenerator<ModelEvent> {
  let held: string | undefined = "";
  for await (const event of events) {
    if (held === undefined || event.type === "reasoning") {
      yield event;
      continue;
    }
    if (event.type === "text") {
      held += event.text;
      if (mayRepeat(said, held)) continue;
    }
    const fresh = withoutRepeat(said, held);
    held = undefined;
    if (fresh !== "") yield { type: "text", text: fresh };
    if (event.type !== "text") yield event;
  }
}

/** The last words of an answer, in which a repetition may begin. */
const tailCharacters = 400;
/** Shorter than this, what looks like a repetition may be chance: every second sentence begins with "The". */
const chanceCharacters = 12;

function mayRepeat(said: string, heard: string): boolean {
  if (heard.length < said.length && said.startsWith(heard)) return true;
  return said.slice(-tailCharacters).includes(heard);
}

function withoutRepeat(said: string, heard: string): string {
  if (heard.startsWith(said)) return heard.slice(said.length);
  for (
    let length = Math.min(tailCharacters, said.length, heard.length);
    length >= chanceCharacters;
    length--
  ) {
    if (said.endsWith(heard.slice(0, length))) return heard.slice(length);
  }
  if (commonStart(said, heard) >= 2 * chanceCharacters) return `\n\n${heard}`;
  return /[\p{L}\p{N}]$/u.test(said) && /^[\p{L}\p{N}]/u.test(heard) ? ` ${heard}` : heard;
}

function commonStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length++;
  return length;
}
