import { expect, it } from "vitest";
import { fencedBlocks } from "#contract/artifacts/fenced-blocks.ts";
import { textsOf, writtenArtifact } from "./written-artifact.ts";

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
});

it("reads a long call that grows no slower than its block would be read", () => {
  const argsText = JSON.stringify({ action: "create", title: "Long", language: "js", content: lines(5_000) });
  const toolCallId = newId();
  const step = 2_000;
  let readMs = 0;
  let splitMs = 0;
  for (let end = step; end < argsText.length; end += step) {
    const from = performance.now();
    const { block = "" } = writtenArtifact({ toolCallId, argsText: argsText.slice(0, end) });
    const between = performance.now();
    fencedBlocks(block);
    readMs += between - from;
    splitMs += performance.now() - between;
  }
  expect(readMs).toBeLessThan(splitMs);
});
