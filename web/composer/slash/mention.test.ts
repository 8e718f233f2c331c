import { expect, test } from "vitest";
import { mentionAt, threadReference } from "./mention.ts";

test("finds the mention before the cursor, and none in an address", () => {
  expect(mentionAt("See @pla and", 8)).toEqual({ start: 4, typed: "pla" });
  expect(mentionAt("@", 1)).toEqual({ start: 0, typed: "" });
  expect(mentionAt("See @pla and", 12)).toBeUndefined();
  expect(mentionAt("ada@example.org", 15)).toBeUndefined();
  expect(mentionAt("a\n@حديقة", 8)).toEqual({ start: 2, typed: "حديقة" });
  expect(threadReference("thread_1", "A [plan]")).toBe("[A (plan)](/t/thread_1)");
});
