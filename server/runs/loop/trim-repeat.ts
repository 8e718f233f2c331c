import type { ModelEvent } from "#server/models/model.ts";

/**
 * A model that continues an interrupted answer often repeats its last words or starts again. This drops what repeats
 * `written`, the text so far, and holds text back while it may still be a repetition. A model that starts again and
 * then writes something else cannot continue exactly: its text becomes a new paragraph. After `prefilled`, the text
 * continues exactly, but some providers first repeat the text that it continues, which is dropped.
 */
export function trimRepeat(written: string, events: AsyncIterable<ModelEvent>): AsyncIterable<ModelEvent> {
  return written === "" ? events : trimmed(written, events);
}

async function* trimmed(written: string, events: AsyncIterable<ModelEvent>): AsyncGenerator<ModelEvent> {
  let held: string | undefined = "";
  let isPrefilled = false;
  for await (const event of events) {
    if (held === undefined || event.type === "reasoning") {
      yield event;
      continue;
    }
    if (event.type === "prefilled") {
      isPrefilled = true;
      yield event;
      continue;
    }
    if (event.type === "text") {
      held += event.text;
      if (isPrefilled ? isStart(written, held) : mayRepeat(written, held)) continue;
    }
    const text: string = isPrefilled ? withoutStart(written, held) : withoutRepeat(written, held);
    held = undefined;
    if (text !== "") yield { type: "text", text };
    if (event.type !== "text") yield event;
  }
}

/** A repetition may start anywhere in so many last characters of the text. */
const tailCharacters = 400;
/** Shorter repetitions may be chance: many sentences begin with "The". */
const chanceCharacters = 12;

function isStart(written: string, text: string): boolean {
  return text.length < written.length && written.startsWith(text);
}

function withoutStart(written: string, text: string): string {
  const isRepeated = written.length >= chanceCharacters && text.startsWith(written);
  return isRepeated ? text.slice(written.length) : text;
}

function mayRepeat(written: string, text: string): boolean {
  if (isStart(written, text)) return true;
  return written.slice(-tailCharacters).includes(text);
}

function withoutRepeat(written: string, text: string): string {
  if (text.startsWith(written)) return text.slice(written.length);
  const longest = Math.min(tailCharacters, written.length, text.length);
  for (let length = longest; length >= chanceCharacters; length--) {
    if (written.endsWith(text.slice(0, length))) return text.slice(length);
  }
  if (commonStart(written, text) >= 2 * chanceCharacters) return `\n\n${text}`;
  // The interruption may have dropped the space between two words.
  return /[\p{L}\p{N}]$/u.test(written) && /^[\p{L}\p{N}]/u.test(text) ? ` ${text}` : text;
}

function commonStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length++;
  return length;
}
