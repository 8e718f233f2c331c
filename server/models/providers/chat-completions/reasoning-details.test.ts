import { expect, test } from "vitest";
import type { JsonObject } from "#contract/json.ts";
import { createReasoningDetails } from "./reasoning-details.ts";

function merged(...chunks: (JsonObject[] | null)[]): JsonObject[] {
  const details = createReasoningDetails();
  for (const chunk of chunks) details.read(chunk);
  return details.list();
}

const text = (more: JsonObject) => ({ type: "reasoning.text", format: "anthropic-claude-v1", ...more });

test("pieces of one entry become one, with the signature that comes last", () => {
  expect(
    merged(
      [text({ text: "Let", index: 0 })],
      null,
      [text({ text: " me see.", index: 0, signature: null })],
      [text({ index: 0, signature: "Et8B" })],
    ),
  ).toEqual([text({ text: "Let me see.", index: 0, signature: "Et8B" })]);
});

test("entries of another type, index or id stay apart and in order", () => {
  const summary = { type: "reasoning.summary", summary: "Short.", index: 0 };
  const encrypted = (id: string) => ({ type: "reasoning.encrypted", data: `data of ${id}`, id, index: 0 });
  expect(
    merged(
      [text({ text: "One", index: 0, id: "a" }), summary],
      [text({ text: "Two", index: 1 }), text({ text: "!", index: 0 })],
      [encrypted("call_1"), encrypted("call_2")],
      [text({ text: "Three", index: 0, id: "b" })],
    ),
  ).toEqual([
    text({ text: "One!", index: 0, id: "a" }),
    summary,
    text({ text: "Two", index: 1 }),
    encrypted("call_1"),
    encrypted("call_2"),
    text({ text: "Three", index: 0, id: "b" }),
  ]);
});

test("a signed entry is complete", () => {
  const signed = text({ text: "One", index: 0, signature: "s" });
  expect(merged([signed], [text({ text: "Two", index: 0 })])).toEqual([
    signed,
    text({ text: "Two", index: 0 }),
  ]);
});
