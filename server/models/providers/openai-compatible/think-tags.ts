/**
 * Local servers that do not know a model's way of thinking leave it in the text as `<think>…</think>` before the
 * answer. This tells the two apart. Only tags that open the text count: later ones are talk about tags.
 */
export type ThinkTags = {
  /** What `text` is, in order. Up to a tag's length is held back until it is clear. */
  read(text: string): Said[];
  /** What was held back. */
  end(): Said[];
};

export type Said = { type: "text" | "reasoning"; text: string };

const opening = "<think>";
const closing = "</think>";

export function newThinkTags(): ThinkTags {
  let state: "start" | "inside" | "after" | "plain" = "start";
  let held = "";
  let thought = false;

  function read(text: string): Said[] {
    if (state === "plain") return [{ type: "text", text }];
    held += text;
    if (state === "start") {
      const begin = held.trimStart();
      if (begin.length < opening.length && opening.startsWith(begin)) return [];
      if (!begin.startsWith(opening)) {
        state = "plain";
        return release("text", held);
      }
      state = "inside";
      held = begin.slice(opening.length);
    }
    return state === "inside" ? readInside() : readAfter();
  }

  function readInside(): Said[] {
    // Models set the thought off by empty lines.
    if (!thought) held = held.trimStart();
    thought ||= held !== "";
    const at = held.indexOf(closing);
    if (at === -1) {
      const keep = tailThatMayBe(held, closing);
      const rest = held.slice(held.length - keep);
      const said = release("reasoning", held.slice(0, held.length - keep));
      held = rest;
      return said;
    }
    const rest = held.slice(at + closing.length);
    const said = release("reasoning", held.slice(0, at));
    state = "after";
    held = rest;
    return [...said, ...readAfter()];
  }

  /** The empty lines between the thinking and the answer are neither. */
  function readAfter(): Said[] {
    const answer = held.trimStart();
    if (answer === "") return [];
    state = "plain";
    return release("text", answer);
  }

  function release(type: Said["type"], text: string): Said[] {
    held = "";
    return text === "" ? [] : [{ type, text }];
  }

  return {
    read,
    end: () =>
      state === "inside" ? release("reasoning", held) : state === "after" ? [] : release("text", held),
  };
}

/** How many of the last characters of `text` may be the beginning of `tag`. */
function tailThatMayBe(text: string, tag: string): number {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length--) {
    if (tag.startsWith(text.slice(-length))) return length;
  }
  return 0;
}
