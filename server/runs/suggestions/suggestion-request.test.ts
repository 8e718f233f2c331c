import * as fc from "fast-check";
import { expect, test } from "vitest";
import { anyUnits } from "#tests/support/data/run-events.ts";
import { readSuggestions, suggestionRequest } from "./suggestion-request.ts";

const read = (text: string) => readSuggestions({ text, ended: "stop" });

test("reads questions as models write them", () => {
  const three = ["Why is that?", "How long does it take?", "What does it cost?"];
  for (const output of [
    three.join("\n"),
    three.map((text, at) => `${at + 1}. ${text}`).join("\n"),
    three.map((text, at) => `${at + 1}) "${text}"`).join("\n\n"),
    `Here are some questions:\n\n${three.map((text) => `- **${text}**`).join("\n")}`,
    `<think>The person\nwants more.</think>\n${three.map((text) => `• “${text}”`).join("\n")}`,
    [...three, "And a fourth one?"].join("\n"),
    [three[0], ...three].join("\n"),
  ])
    expect(read(output)).toEqual(three);
  expect(read("١. لماذا؟\n٢. كم يستغرق؟")).toEqual(["لماذا؟", "كم يستغرق؟"]);
  expect(read("为什么？\n需要多久？")).toEqual(["为什么？", "需要多久？"]);
  expect(read("What is 2 + 2?\n5 minutes or more?")).toEqual(["What is 2 + 2?", "5 minutes or more?"]);
});

test("finds none in anything else", () => {
  for (const output of ["", "\n", "<think>Hm", `${"a long explanation ".repeat(20)}\n`, "Questions:"])
    expect(read(output)).toEqual([]);
});

test("leaves out the line that the model did not end, refusals and calls of tools", () => {
  const text = "Why?\nHow long does it";
  for (const ended of ["length", "too-long"] as const)
    expect(readSuggestions({ text, ended })).toEqual(["Why?"]);
  for (const ended of ["content-filter", "tool-calls"] as const)
    expect(readSuggestions({ text, ended })).toEqual([]);
  expect(read('<tool_call>\n{"name": "calculate"}\n</tool_call>')).toEqual([]);
});

test("are few, short and printable, whatever the model writes", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(anyUnits, fc.constantFrom("\n", "1.", '"', "<think>"))), (chunks) => {
      const suggestions = read(chunks.join(""));
      expect(suggestions.length).toBeLessThanOrEqual(3);
      for (const text of suggestions) {
        expect(text.isWellFormed()).toBe(true);
        expect(text).not.toMatch(/[\n\0]/);
      }
    }),
  );
});

test("sends only the beginning and the end of long messages", () => {
  const request = suggestionRequest([
    { role: "user", text: `BEGIN ${"x".repeat(50_000)}` },
    { role: "assistant", text: `${"y".repeat(50_000)} END` },
  ]);
  const sent = JSON.stringify(request.messages);
  expect(sent.length).toBeLessThan(7_000);
  expect(sent).toContain("BEGIN");
  expect(sent).toContain("END");
});
