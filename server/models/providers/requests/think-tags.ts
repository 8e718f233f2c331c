/**
 * Separates reasoning from text. Local servers that do not support a model's reasoning format leave it in the text as
 * `<think>…</think>` before the answer. Tags after the start of the answer are ordinary text.
 */
export type ThinkTags = {
  /** The parts of `text` in order. Holds back what may be the start of a tag. */
  read(text: string): Span[];
  /** What was held back. */
  end(): Span[];
};

export type Span = { type: "text" | "reasoning"; text: string };

const openingTag = "<think>";
const closingTag = "</think>";

export function createThinkTags(): ThinkTags {
  let state: "start" | "inside" | "after" | "plain" = "start";
  let held = "";
  let hasReasoning = false;

  function read(text: string): Span[] {
    if (state === "plain") return [{ type: "text", text }];
    held += text;
    if (state === "start") {
      const start = held.trimStart();
      if (start.length < openingTag.length && openingTag.startsWith(start)) return [];
      if (!start.startsWith(openingTag)) {
        state = "plain";
        return release("text", held);
      }
      state = "inside";
      held = start.slice(openingTag.length);
    }
    return state === "inside" ? readInside() : readAfter();
  }

  function readInside(): Span[] {
    // Models write empty lines after the tag.
    if (!hasReasoning) held = held.trimStart();
    hasReasoning ||= held !== "";
    const closingAt = held.indexOf(closingTag);
    if (closingAt === -1) {
      const keptLength = possibleTagLength(held, closingTag);
      const rest = held.slice(held.length - keptLength);
      const spans = release("reasoning", held.slice(0, held.length - keptLength));
      held = rest;
      return spans;
    }
    const rest = held.slice(closingAt + closingTag.length);
    const spans = release("reasoning", held.slice(0, closingAt));
    state = "after";
    held = rest;
    return [...spans, ...readAfter()];
  }

  /** Drops the empty lines between the reasoning and the answer. */
  function readAfter(): Span[] {
    const answer = held.trimStart();
    if (answer === "") return [];
    state = "plain";
    return release("text", answer);
  }

  function release(type: Span["type"], text: string): Span[] {
    held = "";
    return text === "" ? [] : [{ type, text }];
  }

  return {
    read,
    end: () =>
      state === "inside" ? release("reasoning", held) : state === "after" ? [] : release("text", held),
  };
}

/** How many characters at the end of `text` may be the start of `tag`. */
function possibleTagLength(text: string, tag: string): number {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length--) {
    if (tag.startsWith(text.slice(-length))) return length;
  }
  return 0;
}
