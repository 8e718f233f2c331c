import { expect, test } from "vitest";
import { commandOf, fillPrompt, matchesCommand, variablesIn } from "./prompt-text.ts";

test("finds each variable once, and leaves other braces alone", () => {
  const text = "Dear {{ name }}, {{name}}: {{a b}} {{}} {{ }} {x} {{no\nline}} {{{c}}}";
  expect(variablesIn(text)).toEqual(["name", "a b", "c"]);
  const values = new Map([
    ["name", "$& {{a b}}"],
    ["a b", "1"],
    ["c", ""],
  ]);
  expect(fillPrompt(text, values)).toBe("Dear $& {{a b}}, $& {{a b}}: 1 {{}} {{ }} {x} {{no\nline}} {}");
});

test("finds commands by the beginning of a word, in every script", () => {
  expect(commandOf("  Weekly report (2)! ")).toBe("weekly-report-2");
  expect(matchesCommand(commandOf("Weekly report"), "rep")).toBe(true);
  expect(matchesCommand(commandOf("Weekly report"), "weekly-r")).toBe(true);
  expect(matchesCommand(commandOf("Weekly report"), "port")).toBe(false);
  expect(matchesCommand(commandOf("تلخيص النص"), "النص")).toBe(true);
});
