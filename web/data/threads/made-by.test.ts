import { expect, test } from "vitest";
import type { AnsweredBy } from "#contract/endpoints/messages.ts";
import { madeBy } from "./made-by.ts";

const maker = (
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
  ["the default assistant's first answer", maker("default"), undefined, undefined],
  ["another assistant's first answer", maker("a"), undefined, "assistant"],
  ["the same one's next answer", maker("a"), maker("a"), undefined],
  ["another one's next answer", maker("default"), maker("a"), "assistant"],
  ["the same one's with another model", maker("a", "small"), maker("a"), "model"],
  ["another one's with another model", maker("b", "small"), maker("a"), "assistant"],
  ["one of which the model is not known yet", maker("a", null), maker("a"), undefined],
  ["one that is not here, first of all", maker(null, "big", "ChatGPT"), undefined, "assistant"],
  ["its next answer", maker(null, "big", "ChatGPT"), maker(null, "big", "ChatGPT"), undefined],
  ["our own after it", maker("default"), maker(null, "big", "ChatGPT"), "assistant"],
  ["one made by nobody that is known", maker(null, "big"), maker("a"), undefined],
])("says of %s what is other than before", ([, now, before, isOther]) => {
  expect(madeBy(now, before)).toEqual(isOther === undefined ? now : { ...now, isOther });
});
