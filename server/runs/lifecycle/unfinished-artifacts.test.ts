import { expect, test } from "vitest";
import { fold, type Reply } from "#contract/fold.ts";
import { keepUnfinishedArtifacts } from "./unfinished-artifacts.ts";

const call = (args: object, cut = 2, rest: object = {}) => ({
  type: "tool-call" as const,
  toolCallId: "c",
  toolName: "artifact",
  argsText: JSON.stringify(args).slice(0, -cut),
  ...rest,
});
const html = (title: string, content: string) => ({ action: "create", title, language: "html", content });

/** The texts that are added to an answer with these parts. */
function kept(...parts: Reply["parts"]): string[] {
  const events = keepUnfinishedArtifacts({ parts }, "interrupted");
  const all = fold([{ type: "run-start", reply_id: "r", model: "m", content: [...parts] }, ...events]).parts;
  expect(all.slice(0, parts.length)).toEqual(parts);
  return all.slice(parts.length).flatMap((part) => (part.type === "text" ? part.text : []));
}

test("keeps what each open call of an answer has written", () => {
  const clock = call(html("Clock", "<p>one"));
  const failed = { result: { error: "no" }, isError: true };
  expect(kept(clock, call(html("Map", "<p>two")))).toEqual([
    '```html title="Clock"\n<p>one',
    '```html title="Map"\n<p>two',
  ]);
  expect(kept(clock, call(html("Map", "<p>two"), 0, failed))).toEqual(['```html title="Clock"\n<p>one']);
  expect(kept(call(html("Map", "<p>two"), 0, failed))).toEqual([]);
});

test("keeps what a call has written that other parts of the answer follow, once", () => {
  const clock = call(html("Clock", "<p>one"));
  const words = { type: "text" as const, text: "Here it is" };
  const [block = ""] = kept(clock, words);
  expect(block).toBe('```html title="Clock"\n<p>one');
  // The answer is continued.
  const continued = { type: "text" as const, text: `${block}</p>\n\`\`\`` };
  expect(kept(clock, words, continued)).toEqual([]);
  expect(kept(clock, words, continued, call(html("Map", "<p>two")))).toEqual(['```html title="Map"\n<p>two']);
});

test("continues what was broken off before in the same answer, as its next version", () => {
  const text = { type: "text" as const, text: '```html title="Clock"\n<p>on' };
  const next = '```html title="Clock" update\n<p>one';
  expect(kept(text, call(html("Clock", "<p>one")))).toEqual([next]);
  expect(kept(call(html("Clock", "<p>o")), call(html("Clock", "<p>one"))).at(1)).toBe(next);
  expect(kept(text, call(html("Clocks", "<p>one")))).toEqual(['```html title="Clocks"\n<p>one']);
});

test("keeps odd titles and content", () => {
  expect(kept(call(html("__proto__", "a\uD83C")))).toEqual(['```html title="__proto__"\na\uD83C']);
  expect(kept(call(html("a\uD83C", "b")))).toEqual(['```html title="a\uFFFD"\nb']);
  expect(kept(call({ content: "a", title: "Clock" }, 3))).toEqual(["```\na"]);
});
