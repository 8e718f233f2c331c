import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createThinkTags } from "./think-tags.ts";

function split(pieces: readonly string[]): { text: string; reasoning: string } {
  const tags = createThinkTags();
  const result = { text: "", reasoning: "" };
  for (const piece of pieces) for (const { type, text } of tags.read(piece)) result[type] += text;
  for (const { type, text } of tags.end()) result[type] += text;
  return result;
}

describe("reasoning in the text", () => {
  test.for([
    ["<think>Hm.</think>\n\nYes.", "Hm.", "Yes."],
    ["\n<think>\nHm.\n</think>Yes.", "Hm.\n", "Yes."],
    ["<think></think>Yes.", "", "Yes."],
    ["<think>Never ended", "Never ended", ""],
    ["No tags.", "", "No tags."],
    ["Say <think> to think</think>.", "", "Say <think> to think</think>."],
    ["<thin", "", "<thin"],
    ["<b>bold</b>", "", "<b>bold</b>"],
    ["<think>a</think>b<think>c</think>", "a", "b<think>c</think>"],
    ["<think>1 < 2 </th</think>x", "1 < 2 </th", "x"],
  ] as const)("is separated in %j", ([whole, reasoning, text]) => {
    expect(split([whole])).toEqual({ text, reasoning });
    expect(split(whole.split("")), "character by character").toEqual({ text, reasoning });
  });

  test("is separated the same way wherever the chunks are cut", () => {
    const words = fc.array(fc.constantFrom("<think>", "</think>", "<", "think", "a", " ", "\n", "/", ">"), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(words, fc.array(fc.nat({ max: 6 }), { maxLength: 40 }), (parts, cuts) => {
        const whole = parts.join("");
        const pieces: string[] = [];
        let at = 0;
        for (const cut of cuts) pieces.push(whole.slice(at, (at += cut)));
        pieces.push(whole.slice(at));
        expect(split(pieces)).toEqual(split([whole]));
      }),
    );
  });
});
