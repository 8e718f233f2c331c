import { expect, test } from "vitest";
import { textsOfDraft } from "./texts-of-draft.ts";

test("reads the texts of an unsaved edit, one for each text of the answer", () => {
  expect(textsOfDraft(JSON.stringify(["Fig", ""]), 2)).toEqual(["Fig", ""]);
});

test.each(["", "Fig", '["Fig"', '["Fig"]', '{"length":2}', "[1,2]", "null"])(
  "ignores the draft %j",
  (draft) => {
    expect(textsOfDraft(draft, 2)).toBeUndefined();
  },
);
