import { IncrementalJsonObjectParser } from "assistant-stream/utils";
import { expect, it, onTestFinished, vi } from "vitest";
import { artifactsOf } from "#contract/artifacts/artifacts.ts";
import { fencedBlocks } from "#contract/artifacts/fenced-blocks.ts";
import * as written from "./written-artifact.ts";

const { writtenArtifact } = written;
/** Of a stored answer. */
const textsOf = (parts: readonly { type: string }[], isRunning = false) =>
  written.textsOf(parts, { isRunning });

let count = 0;
const newId = () => `call_${count++}`;
const lines = (n: number) =>
  Array.from({ length: n }, (_, i) => `let a${i} = "<b>\\u0041 & 🌿 ${i}";\n`).join("");

it("reads what a call has written, cut at each position", () => {
  const content = `${lines(3)}\`\`\`js\n1\n\`\`\`\t\u2028 end`;
  const argsText = JSON.stringify({ action: "create", title: 'The "Clock"', language: "html", content });
  const toolCallId = newId();
  let shown = "";
  for (let end = 0; end <= argsText.length; end++) {
    const { args, block } = writtenArtifact({ toolCallId, argsText: argsText.slice(0, end) });
    expect(args["title"] ?? 'The "Clock"').toBe('The "Clock"');
    if (block === undefined) continue;
    const [found, ...others] = fencedBlocks(block);
    expect(others).toEqual([]);
    expect(found).toMatchObject({ language: "html", meta: "title=\"The 'Clock'\"", isClosed: false });
    expect(content.startsWith(found!.code)).toBe(true);
    expect(found!.code.length).toBeGreaterThanOrEqual(shown.length);
    shown = found!.code;
  }
  expect(shown).toBe(content);
});

it("shows content that comes before its name, without half a name", () => {
  const toolCallId = newId();
  const block = (argsText: string) => writtenArtifact({ toolCallId, argsText }).block;
  expect(block('{"content":"a","language":"ht')).toBe("```\na");
  expect(block('{"content":"a","language":"html","title":"Clo')).toBe("```html\na");
  expect(block('{"content":"a","language":"html","title":"Clock"')).toBe('```html title="Clock"\na');
});

it.each([
  "",
  "nothing",
  "[1",
  '{"content":1',
  '{"action":"update","content":"a',
  '{"__proto__":{"content":"a"}',
  '{"content":""',
])("shows nothing of %j", (argsText) => {
  expect(writtenArtifact({ toolCallId: newId(), argsText }).block).toBeUndefined();
  expect(Object.hasOwn(Object.prototype, "content")).toBe(false);
});

it("counts only calls at the end of an answer that have no result", () => {
  const call = (toolName: string, rest = {}) => ({
    type: "tool-call",
    toolCallId: newId(),
    toolName,
    argsText: '{"content":"a',
    ...rest,
  });
  const text = { type: "text", text: "b" };
  expect(textsOf([call("artifact"), text, call("artifact"), call("other"), call("artifact")])).toEqual([
    "b",
    "```\na",
    "```\na",
  ]);
  expect(
    textsOf([call("artifact", { result: null }), call("artifact", { isError: true, result: "" })]),
  ).toEqual([]);
  expect(textsOf([call("artifact"), call("artifact", { isError: true, result: "" })])).toEqual(["```\na"]);
});

it("counts, while an answer is written, what other parts follow, once", () => {
  const call = { type: "tool-call", toolCallId: newId(), toolName: "artifact", argsText: '{"content":"ab"}' };
  const text = (words: string) => ({ type: "text", text: words });
  expect(textsOf([call, text("So")])).toEqual(["So"]);
  expect(textsOf([call, text("So")], true)).toEqual(["So", "```\nab"]);
  expect(textsOf([call, text("So"), text("```\nabc")], true)).toEqual(["So", "```\nabc"]);
});

it("takes a call for the next version of what was broken off before it", () => {
  const argsText = '{"title":"Clock","language":"html","content":"<p>on';
  const call = (toolCallId = newId()) => ({ type: "tool-call", toolCallId, toolName: "artifact", argsText });
  const block = '```html title="Clock"\n<p>on';
  const next = '```html title="Clock" update\n<p>on';
  const text = { type: "text", text: block };
  expect(textsOf([text, call()])).toEqual([block, next]);
  expect(textsOf([call(), call()])).toEqual([block, next]);
  const [artifact, ...others] = artifactsOf([{ messageId: "a", texts: textsOf([text, call()]) }]);
  expect(others).toEqual([]);
  expect(artifact?.versions).toHaveLength(2);
});

it("shows odd titles and content", () => {
  const block = (title: string, content: string) =>
    writtenArtifact({ toolCallId: newId(), argsText: JSON.stringify({ title, content }).slice(0, -2) }).block;
  expect(block("__proto__", "a\uD83C")).toBe('```text title="__proto__"\na\uD83C');
  expect(block("a\uD83C", "b")).toBe('```text title="a\uFFFD"\nb');
});

it("parses only what was added to a long call, also with another of the same id", () => {
  const argsText = JSON.stringify({ action: "create", title: "Long", language: "js", content: lines(5_000) });
  const toolCallId = newId();
  const read = (text: string) => writtenArtifact({ toolCallId, argsText: text });
  read(argsText.slice(0, -20_000));
  const others = Array.from({ length: 10 }, (_, round) => `{"content":"${"a".repeat(round)}`);
  const whole = vi.spyOn(IncrementalJsonObjectParser, "from");
  const added = vi.spyOn(IncrementalJsonObjectParser.prototype, "append");
  onTestFinished(() => void vi.restoreAllMocks());
  for (const [round, other] of others.entries()) {
    read(other);
    read(argsText.slice(0, -20_000 + (round + 1) * 1_000));
  }
  expect(whole.mock.calls.filter(([text]) => text === undefined || text.length > 100)).toEqual([]);
  expect(added.mock.calls.filter(([text]) => text.length > 100).map(([text]) => text.length)).toEqual(
    others.map(() => 1_000),
  );
});
