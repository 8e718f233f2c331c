import { expect, test } from "vitest";
import type { Json } from "#contract/json.ts";
import { type AnswerArtifacts, createAnswerArtifacts } from "./answer-artifacts.ts";
import { createArtifact } from "./artifact.ts";

const fenced = (info: string, code: string) => `\`\`\`${info}\n${code}\n\`\`\``;
const lines = (count: number) => Array.from({ length: count }, (_, i) => `line ${i};`).join("\n");

/** A branch whose answers have these texts, and the tool in an answer below it. */
function branch(...answers: string[]) {
  const artifacts = createAnswerArtifacts(
    answers.map((text) => ({ role: "assistant", parts: [{ type: "text", text }] })),
    [],
  );
  return { artifacts, call: callIn(artifacts) };
}

function callIn(artifacts: AnswerArtifacts) {
  const context = { artifacts } as unknown as Parameters<ReturnType<typeof createArtifact>["run"]>[1];
  return async (args: Json) => await createArtifact().run(args, context);
}

test("makes an artifact and changes it, as versions in one answer", async () => {
  const { artifacts, call } = branch();
  const content = "<p>red</p>\n```\n<p>one</p>";
  expect(await call({ action: "create", title: 'The "big"\n`Clock`', language: "html", content })).toEqual({
    title: "The 'big' 'Clock'",
    version: 1,
  });
  const changes = [
    { old: "red", new: "blue" },
    { old: "<p>one</p>", new: "$& <p>two</p>" },
  ];
  expect(await call({ action: "update", title: "The 'big' 'Clock'", changes })).toMatchObject({ version: 2 });
  expect(artifacts.takeTexts()).toEqual([
    `\`\`\`\`html title="The 'big' 'Clock'"\n${content}\n\`\`\`\`\n`,
    "````html title=\"The 'big' 'Clock'\" update\n<p>blue</p>\n```\n$& <p>two</p>\n````\n",
  ]);
  expect(artifacts.takeTexts()).toEqual([]);
  expect(artifacts.list().map(({ versions }) => versions.length)).toEqual([2]);
});

test("changes the latest version of what an earlier answer wrote in a code block", async () => {
  const { artifacts, call } = branch(
    fenced("html", "<title>Clock</title>\nfirst"),
    `${fenced("html", "<title>Clock</title>\nsecond")}\n${fenced("py tool.py", lines(20))}`,
  );
  await call({ action: "update", title: "Clock", changes: [{ old: "second", new: "third" }] });
  await call({ action: "update", title: "tool.py", changes: [{ old: "line 19;", new: "end" }] });
  expect(artifacts.list().map(({ key, versions }) => [key, versions.length])).toEqual([
    ["html:Clock", 3],
    ["python:tool.py", 2],
  ]);
  expect(artifacts.list()[0]?.versions.at(-1)?.code).toBe("<title>Clock</title>\nthird");
});

test.each([
  ["", "update", { changes: [{ old: "line 0;", new: "first" }] }],
  ["python", "create", { language: "py", content: lines(16) }],
])("continues what was written as %j", async (language, action, args) => {
  const { artifacts, call } = branch(`# Tool\n${fenced(language, lines(20))}`);
  expect(await call({ action, title: "Tool", ...args })).toEqual({ title: "Tool", version: 2 });
  expect(artifacts.list().map(({ versions }) => versions.length)).toEqual([2]);
});

test("takes the messages of one answer for one answer", async () => {
  const parts = (text: string) => [{ type: "text" as const, text }];
  const artifacts = createAnswerArtifacts(
    [
      { role: "assistant", messageId: "a", parts: parts(fenced('html title="Clock"', "one")) },
      { role: "tool", results: [] },
      { role: "assistant", messageId: "a", parts: parts(fenced('html title="Clock"', "two")) },
    ],
    [],
  );
  await callIn(artifacts)({ action: "update", title: "Clock", changes: [{ old: "one", new: "three" }] });
  expect(artifacts.list().map(({ versions }) => versions.map(({ code }) => code))).toEqual([
    ["one", "three"],
    ["two"],
  ]);
});

test("makes no second artifact with the title of another one of the answer", async () => {
  const { artifacts, call } = branch(fenced('html title="Clock"', "old"));
  const create = { action: "create", title: "Clock", language: "html", content: "new" };
  expect(await call(create)).toEqual({ title: "Clock", version: 2 });
  await expect(call({ ...create, content: "other" })).rejects.toThrow("Use update, or another title");
  expect(artifacts.list().map(({ versions }) => versions.length)).toEqual([2]);
});

test("makes again what was broken off in the same answer, as its next version", async () => {
  const artifacts = createAnswerArtifacts([], [{ type: "text", text: '```html title="Clock"\n<p>on' }]);
  const create = { action: "create", title: "Clock", language: "html", content: "<p>one</p>" };
  expect(await callIn(artifacts)(create)).toEqual({ title: "Clock", version: 2 });
  expect(artifacts.list().map(({ versions }) => versions.map(({ code }) => code))).toEqual([
    ["<p>on", "<p>one</p>"],
  ]);
  await expect(callIn(artifacts)(create)).rejects.toThrow("Use update, or another title");
});

test("does not say that there is no artifact where it cannot read", async () => {
  const artifacts = createAnswerArtifacts([], [], { isCut: true });
  const update = { action: "update", title: "Clock", changes: [{ old: "a", new: "b" }] };
  await expect(callIn(artifacts)(update)).rejects.toThrow("in the part of this chat that you can still read");
});

test.each<[string, Json]>([
  ["would leave fewer than 15 lines", { title: "tool.py", changes: [{ old: lines(20), new: "line 0;" }] }],
  ["is not in the artifact", { title: "Clock", changes: [{ old: "green", new: "blue" }] }],
  ["occurs more than once", { title: "Clock", changes: [{ old: "tick", new: "tock" }] }],
  ["occurs more than once", { title: "Clock", changes: [{ old: "aa", new: "b" }] }],
  [
    "Change 2: the text of old is not in the artifact",
    {
      title: "Clock",
      changes: [
        { old: "red", new: "" },
        { old: "red", new: "blue" },
      ],
    },
  ],
  ["change nothing", { title: "Clock", changes: [{ old: "red", new: "red" }] }],
  ["old must not be empty", { title: "Clock", changes: [{ old: "", new: "a" }] }],
  ["old must not be empty", { title: "Clock", changes: ["red"] }],
  ["Give changes", { title: "Clock", changes: [] }],
  ["There are: Clock, Notes, tool.py.", { title: "Watch", changes: [{ old: "a", new: "b" }] }],
  ["Give a title", { title: " ", changes: [] }],
  ["Give language", { action: "create", title: "A", language: "a b", content: "x" }],
  ["Give the whole content", { action: "create", title: "A", language: "html", content: "" }],
  ["has fewer than 15 lines", { action: "create", title: "A", language: "python", content: lines(14) }],
  ['"create" or "update"', { action: "delete", title: "Clock" }],
])("says how to correct a call: %s", async (message, args) => {
  const { artifacts, call } = branch(
    `${fenced("html", "<title>Clock</title>\nred tick tick aaa")}\n\n# Notes\n${fenced("md", lines(20))}\n${fenced("py tool.py", lines(20))}`,
  );
  const before = artifacts.list();
  await expect(call({ action: "update", ...(args as object) })).rejects.toThrow(message);
  expect(artifacts.list()).toEqual(before);
  expect(artifacts.takeTexts()).toEqual([]);
});
