import { expect, test } from "vitest";
import { packContent, unpackContent } from "./packed-content.ts";

const text = (value: string) => ({ type: "text", text: value });
const complete = { metadata: { custom: {} }, status: { type: "complete", reason: "stop" } };
const long = 'A "quoted" line\nwith \\ and \t, é, 日本, 🎉 and \u0007. '.repeat(20);

test.for<[string, object, string]>([
  ["a question", { role: "user", content: [text(long)] }, long],
  ["an answer", { role: "assistant", content: [text(long)], ...complete }, long],
  [
    "several texts around a call",
    { role: "assistant", content: [text(long), { type: "tool-call", args: { text: long } }, text("End")] },
    `${long}\n\nEnd`,
  ],
  ["a text after reasoning", { content: [{ type: "reasoning", text: "Well" }, text(long)] }, long],
  ["another format", { role: "user", parts: [{ type: "step-start" }, text(long)] }, long],
])("stores the text of %s once", ([, content, plainText]) => {
  const written = JSON.stringify(content);
  const packed = packContent(written, plainText);
  expect(packed.length).toBeLessThan(written.length - JSON.stringify(long).length + 10);
  expect(unpackContent(packed, plainText)).toBe(written);
});

test.for<[string, string, string]>([
  ["without text", '{"role":"user","content":[]}', ""],
  ["whose plain text differs", JSON.stringify({ content: [text("a\u0000b")] }), "ab"],
  ["with other escapes", String.raw`{"content":[{"type":"text","text":"\u0041 heron"}]}`, "A heron"],
  ["whose text is a property", '{"role":"user","content":"A heron"}', "A heron"],
])("returns a content %s unchanged", ([, content, plainText]) => {
  expect(unpackContent(packContent(content, plainText), plainText)).toBe(content);
});
