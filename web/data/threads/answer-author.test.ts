import { expect, test } from "vitest";
import type { AnsweredBy } from "#contract/endpoints/messages.ts";
import { compareAuthors } from "./answer-author.ts";

const author = (
  assistant_id: string | null,
  model: string | null = "big",
  assistant_name: string | null = null,
): AnsweredBy => ({
  assistant_id,
  assistant_name,
  model,
  notes: [],
});

test.for<[string, AnsweredBy, AnsweredBy | undefined, "assistant" | "model" | undefined]>([
  ["the default assistant's first answer", author("default"), undefined, undefined],
  ["another assistant's first answer", author("a"), undefined, "assistant"],
  ["the same assistant's next answer", author("a"), author("a"), undefined],
  ["another assistant's next answer", author("default"), author("a"), "assistant"],
  ["the same assistant's answer with another model", author("a", "small"), author("a"), "model"],
  ["another assistant's answer with another model", author("b", "small"), author("a"), "assistant"],
  ["an answer whose model is not known yet", author("a", null), author("a"), undefined],
  ["a first answer by an imported assistant", author(null, "big", "ChatGPT"), undefined, "assistant"],
  [
    "the next answer by an imported assistant",
    author(null, "big", "ChatGPT"),
    author(null, "big", "ChatGPT"),
    undefined,
  ],
  ["our own answer after an imported one", author("default"), author(null, "big", "ChatGPT"), "assistant"],
  ["an answer without a known assistant", author(null, "big"), author("a"), undefined],
])("compares %s with the previous author", ([, current, previous, changed]) => {
  expect(compareAuthors(current, previous)).toEqual(
    changed === undefined ? current : { ...current, changed },
  );
});
