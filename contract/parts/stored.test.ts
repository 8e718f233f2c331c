import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject } from "../json.ts";
import type { Part } from "./kinds.ts";
import { plainText, readStored } from "./stored.ts";

const aui = (...content: unknown[]): Part[] => readStored("aui/v0", { content }).parts;
const aiSdk = (...parts: unknown[]): Part[] => readStored("ai-sdk/v6", { parts }).parts;

const everyKind: Part[] = [
  { type: "text", text: "so" },
  { type: "reasoning", text: "hm", providerMetadata: { parlance: { durationMs: 5 } } },
  { type: "source", sourceType: "url", id: "s", url: "https://example.org", title: "A source" },
  { type: "source", sourceType: "document", id: "d", title: "A paper", mediaType: "application/pdf" },
  { type: "image", image: "data:image/png;base64,AA==", filename: "a.png" },
  { type: "file", data: "https://example.org/f", mimeType: "text/plain", filename: "f.txt" },
  { type: "audio", audio: { data: "AA==", format: "wav" } },
  { type: "tool-call", toolCallId: "c", toolName: "t", argsText: '{"a":1}', args: { a: 1 }, result: 0 },
  { type: "data", name: "chart", data: [1] },
];

test("reads every kind of part as it is stored, with its unknown fields", () => {
  const stored = everyKind.map((part) => ({ ...part, parentId: "p" }));
  expect(aui(...stored)).toEqual(stored);
});

test("reads unknown kinds, and parts without the fields that their kind requires, as data", () => {
  const unknown: JsonObject[] = [
    { type: "hologram", depth: 3, type2: "<b>" },
    { type: "constructor" },
    { type: "text" },
    { type: "reasoning", text: 7 },
    { type: "source", sourceType: "url", id: "s" },
    { type: "source", sourceType: "document", id: "s", title: "T" },
    { type: "image" },
    { type: "file", data: "AA==" },
    { type: "audio", audio: { data: "AA==", format: "ogg" } },
    { type: "audio" },
    { type: "tool-call", toolCallId: "c" },
    { type: "data" },
  ];
  const asData = unknown.map((part) => ({ type: "data", name: part.type, data: part }));
  expect(aui(null, 7, {}, { type: 7 }, ...unknown)).toEqual(asData);
  expect(aui(...asData)).toEqual(asData);
  const attachments = [{ name: "a", content: unknown }];
  expect(readStored("aui/v0", { content: [], attachments }).attached[0]?.parts).toEqual(asData);
  const unreadable: JsonObject[] = [
    { type: "file" },
    { type: "source-url" },
    { type: "tool-x" },
    { type: "text" },
  ];
  expect(aiSdk({ type: "step-start" }, ...unreadable)).toEqual(
    unreadable.map((part) => ({ type: "data", name: part.type, data: part })),
  );
});

test("leaves out optional fields of a wrong type and keeps the part", () => {
  expect(
    aui(
      { type: "source", sourceType: "url", id: "s", url: "https://example.org", title: { en: "T" } },
      { type: "image", image: "x:y", filename: null },
      {
        type: "tool-call",
        toolCallId: "c",
        toolName: "t",
        approval: { approved: false, reason: { why: 1 } },
        timing: 5,
      },
    ),
  ).toEqual([
    { type: "source", sourceType: "url", id: "s", url: "https://example.org" },
    { type: "image", image: "x:y" },
    {
      type: "tool-call",
      toolCallId: "c",
      toolName: "t",
      argsText: "",
      args: {},
      approval: { id: "c", approved: false },
    },
  ]);
});

test.for<[JsonObject, JsonObject]>([
  [{ args: { a: 1 } }, { args: { a: 1 }, argsText: '{"a":1}' }],
  [
    { args: { a: 1 }, argsText: '{ "a": 1 }' },
    { args: { a: 1 }, argsText: '{ "a": 1 }' },
  ],
  [{ argsText: '{"a":1}' }, { args: { a: 1 }, argsText: '{"a":1}' }],
  [{ argsText: '{"a' }, { argsText: '{"a' }],
  [{ argsText: "[1]" }, { argsText: "[1]" }],
  [{ args: [1] }, { argsText: "[1]" }],
  [{}, { args: {}, argsText: "" }],
])("reads the arguments of a call stored as %j", ([stored, expected]) => {
  const call = { type: "tool-call", toolCallId: "c", toolName: "t" };
  expect(aui({ ...call, ...stored })).toEqual([{ ...call, ...expected }]);
});

test("keeps arguments as text if they nest too deep to be printed as JSON", () => {
  const argsText = `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
  const [call] = aui({ type: "tool-call", toolCallId: "c", toolName: "t", argsText });
  expect(call).toEqual({ type: "tool-call", toolCallId: "c", toolName: "t", argsText });
});

test("reads the parts of an AI SDK message", () => {
  expect(
    aiSdk(
      { type: "step-start" },
      { type: "reasoning", text: "hm", state: "done" },
      { type: "text", text: "so", state: "done" },
      { type: "source-url", sourceId: "s", url: "https://example.org", title: "A source" },
      {
        type: "source-document",
        sourceId: "d",
        title: "A paper",
        mediaType: "application/pdf",
        filename: "p.pdf",
      },
      { type: "file", mediaType: "text/plain", url: "data:,x", filename: "x.txt" },
      { type: "data-chart", id: "1", data: [1] },
      { type: "data-empty" },
    ),
  ).toStrictEqual([
    { type: "reasoning", text: "hm" },
    { type: "text", text: "so" },
    { type: "source", sourceType: "url", id: "s", url: "https://example.org", title: "A source" },
    {
      type: "source",
      sourceType: "document",
      id: "d",
      title: "A paper",
      mediaType: "application/pdf",
      filename: "p.pdf",
    },
    { type: "file", data: "data:,x", mimeType: "text/plain", filename: "x.txt" },
    { type: "data", name: "chart", data: [1] },
    { type: "data", name: "empty", data: null },
  ]);
});

test("keeps the media type of an AI SDK picture, which an image part cannot hold", () => {
  expect(aiSdk({ type: "file", mediaType: "image/tiff", url: "https://example.org/a" })).toEqual([
    { type: "file", data: "https://example.org/a", mimeType: "image/tiff" },
  ]);
});

test.for<[string, JsonObject, JsonObject]>([
  ["finished", { state: "output-available", output: false }, { result: false }],
  ["finished without an output", { state: "output-available" }, { result: null }],
  ["failed", { state: "output-error", errorText: "no" }, { result: "no", isError: true }],
  ["failed without a message", { state: "output-error" }, { isError: true }],
  [
    "denied",
    { state: "output-denied", approval: { id: "q", approved: false, reason: "Not now" } },
    { isError: true, approval: { id: "q", approved: false, reason: "Not now" } },
  ],
  [
    "denied without more",
    { state: "output-denied" },
    { isError: true, approval: { id: "c", approved: false } },
  ],
  ["not decided", { state: "approval-requested", approval: { id: "q" } }, { approval: { id: "q" } }],
  ["not answered", { state: "input-available" }, {}],
  ["not written to its end", { state: "input-streaming", output: 7 }, {}],
])("reads an AI SDK call that was %s", ([_, stored, expected]) => {
  const call = { toolCallId: "c", toolName: "t", args: { a: 1 }, argsText: '{"a":1}' };
  const part = { toolCallId: "c", input: { a: 1 }, ...stored };
  expect(aiSdk({ type: "tool-t", ...part }, { type: "dynamic-tool", toolName: "t", ...part })).toStrictEqual([
    { type: "tool-call", ...call, ...expected },
    { type: "tool-call", ...call, ...expected },
  ]);
});

test("keeps the input of an AI SDK call that is no JSON object", () => {
  expect(aiSdk({ type: "tool-t", toolCallId: "c", state: "input-streaming", input: '{"a' })).toMatchObject([
    { argsText: '{"a' },
  ]);
});

test("reads attachments of every format, with their names", () => {
  const attachments = [
    { type: "image", name: "a.png", content: [{ type: "image", image: "data:image/png;base64,AA==" }] },
    {
      type: "document",
      name: "b.pdf",
      contentType: "application/pdf",
      content: [{ type: "file", data: "x:y", mimeType: "application/pdf", filename: "own.pdf" }],
    },
    { type: "document", name: "broken" },
    null,
  ];
  const attached = [
    {
      name: "a.png",
      parts: [{ type: "image", image: "data:image/png;base64,AA==", filename: "a.png" }],
    },
    {
      name: "b.pdf",
      mediaType: "application/pdf",
      parts: [{ type: "file", data: "x:y", mimeType: "application/pdf", filename: "own.pdf" }],
    },
    { name: "broken", parts: [] },
  ];
  const text: Part[] = [{ type: "text", text: "See" }];
  expect(readStored("aui/v0", { content: text, attachments })).toEqual({ parts: text, attached });
  expect(readStored("aui/v0", { content: "See", attachments })).toEqual({ parts: text, attached });
  expect(readStored("ai-sdk/v5", { parts: text, attachments })).toEqual({ parts: text, attached });
});

test("reads a format that it does not know by what the content holds", () => {
  const text = [{ type: "text", text: "Hello" }];
  for (const content of [{ parts: text }, { content: text }, { content: "Hello" }])
    expect(readStored("own/v1", content).parts).toEqual(text);
  expect(readStored("ai-sdk/v6", { content: text }).parts).toEqual(text);
  expect(readStored("aui/v0", null)).toEqual({ parts: [], attached: [] });
});

test("gives the text parts alone as plain text", () => {
  const text = (words: string) => ({ type: "text", text: words });
  const content = {
    content: [
      { type: "reasoning", text: "Hm." },
      text("One"),
      { type: "tool-call", toolCallId: "a", toolName: "x", result: "no" },
      text(""),
      text("Two"),
    ],
    attachments: [{ content: [text("No")] }],
  };
  expect(plainText("aui/v0", content)).toBe("One\n\nTwo");
  expect(plainText("ai-sdk/v6", { parts: [{ type: "step-start" }, text("One")] })).toBe("One");
});

test("never throws, and gives parts that can be stored again", () => {
  const odd = fc.oneof(fc.string(), fc.jsonValue());
  const fields =
    "text sourceType id sourceId url title mediaType mimeType filename image data name toolCallId toolName args argsText input approval timing errorText output".split(
      " ",
    );
  const part = fc.oneof(
    fc.jsonValue(),
    fc.record(
      {
        type: fc.constantFrom(
          ...everyKind.map(({ type }): string => type),
          "tool-x",
          "dynamic-tool",
          "data-x",
          "source-url",
          "source-document",
          "__proto__",
        ),
        ...Object.fromEntries(fields.map((field) => [field, odd])),
        audio: fc.oneof(fc.record({ data: odd, format: fc.constantFrom("mp3", 7) }), odd),
        state: fc.constantFrom("output-available", "output-error", "output-denied", "input-streaming", 7),
      },
      { requiredKeys: ["type"] },
    ),
  );
  const parts = fc.oneof(fc.array(part, { maxLength: 4 }), odd);
  const content = fc.oneof(
    fc.jsonValue(),
    fc.record(
      {
        content: parts,
        parts,
        attachments: fc.array(fc.oneof(fc.record({ name: odd, content: parts }), odd)),
      },
      { requiredKeys: [] },
    ),
  );
  const format = fc.oneof(fc.constantFrom("aui/v0", "ai-sdk/v5", "ai-sdk/v6"), fc.string());
  fc.assert(
    fc.property(format, content, (named, stored) => {
      const read = readStored(named, stored);
      const all = [...read.parts, ...read.attached.flatMap((attached) => attached.parts)];
      expect(JSON.parse(JSON.stringify(aui(...all)))).toEqual(JSON.parse(JSON.stringify(all)));
      expect(typeof plainText(named, stored)).toBe("string");
    }),
    { numRuns: 1_000 },
  );
});
