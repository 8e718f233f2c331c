import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "#contract/json.ts";
import type { Message } from "#contract/endpoints/messages.ts";
import { nested } from "#tests/support/data/hostile-contents.ts";
import { convertMessage } from "./convert.ts";

function message(format: string, content: unknown): Message {
  return {
    id: "msg_0a",
    parent_id: "msg_0b",
    external_id: "own",
    height: 3,
    created_at: "2026-01-01T00:00:00.000Z",
    updated_at: "2026-01-02T00:00:00.000Z",
    format,
    content: content as Message["content"],
  };
}

/** `aui/v0` content converted to an AI SDK message. */
function converted(content: JsonObject): JsonObject {
  const result = convertMessage(message("aui/v0", content), "ai-sdk/v6");
  expect(result.format).toBe("ai-sdk/v6");
  return result.content as JsonObject;
}

const partsOf = (role: string, ...content: JsonObject[]) => converted({ role, content }).parts;

describe("a message in another format", () => {
  test("keeps all fields but its format and content", () => {
    const stored = message("aui/v0", { role: "user", content: [{ type: "text", text: "Hi" }] });
    expect(convertMessage(stored, "ai-sdk/v6")).toEqual({
      ...stored,
      format: "ai-sdk/v6",
      content: { role: "user", parts: [{ type: "text", text: "Hi" }] },
    });
  });

  test.for([
    ["aui/v0", "ai-sdk/v6", "ai-sdk/v6"],
    ["aui/v0", "ai-sdk/v5", "ai-sdk/v5"],
    ["ai-sdk/v5", "ai-sdk/v6", "ai-sdk/v6"],
    ["ai-sdk/v6", "ai-sdk/v5", "ai-sdk/v6"],
    ["ai-sdk/v5", "aui/v0", "ai-sdk/v5"],
    ["ai-sdk/v6", "aui/v0", "ai-sdk/v6"],
    ["aui/v0", "aui/v0", "aui/v0"],
    ["aui/v0", "constructor", "aui/v0"],
    ["__proto__", "ai-sdk/v6", "__proto__"],
    ["toString", "toString", "toString"],
    ["my own", "ai-sdk/v6", "my own"],
  ])("of %s, requested as %s, is %s", ([stored, requested, returned]) => {
    const row = message(stored!, { role: "user", content: [], parts: [] });
    const result = convertMessage(row, requested);
    expect(result.format).toBe(returned);
    if (returned === stored) expect(result).toBe(row);
  });

  test("is as stored if no format is requested", () => {
    const row = message("aui/v0", { role: "user", content: [] });
    expect(convertMessage(row, undefined)).toBe(row);
  });

  test.for([
    {},
    { role: "user" },
    { role: "user", content: "text" },
    { role: "tool", content: [] },
    { role: ["user"], content: [] },
    { content: [] },
    { role: "user", parts: [] },
  ])("is as stored if its content does not fit its format: %j", (content) => {
    const row = message("aui/v0", content);
    expect(convertMessage(row, "ai-sdk/v6")).toBe(row);
  });

  test.for([
    {},
    { role: "user", parts: "x" },
    { role: "user", parts: ["x"] },
    { parts: [] },
    { role: "user", content: [] },
  ])("is as stored if its content is not an AI SDK message: %j", (content) => {
    const row = message("ai-sdk/v5", content);
    expect(convertMessage(row, "ai-sdk/v6")).toBe(row);
  });

  test("of AI SDK 5 has the same content in version 6", () => {
    const parts = [
      { type: "text", text: "a" },
      {
        type: "tool-x",
        toolCallId: "1",
        toolName: "x",
        state: "output-error",
        input: {},
        errorText: '{"a":1}',
      },
    ];
    const row = message("ai-sdk/v5", { role: "assistant", parts, metadata: { a: 1 } });
    expect(convertMessage(row, "ai-sdk/v6").content).toBe(row.content);
  });
});

describe("an aui/v0 message as an AI SDK message", () => {
  test("has text, reasoning and sources", () => {
    expect(
      partsOf(
        "assistant",
        { type: "reasoning", text: "Hm.", providerMetadata: { a: { signature: "s" } }, parentId: "p" },
        { type: "text", text: "Yes" },
        { type: "source", sourceType: "url", id: "1", url: "https://a.example", title: "A" },
        {
          type: "source",
          sourceType: "document",
          id: "2",
          title: "B",
          mediaType: "text/plain",
          filename: "b.txt",
        },
      ),
    ).toEqual([
      { type: "step-start" },
      { type: "reasoning", text: "Hm.", providerMetadata: { a: { signature: "s" } } },
      { type: "text", text: "Yes" },
      { type: "source-url", sourceId: "1", url: "https://a.example", title: "A" },
      { type: "source-document", sourceId: "2", mediaType: "text/plain", title: "B", filename: "b.txt" },
    ]);
  });

  test("has images, files and audio as files, each with a URL", () => {
    expect(
      partsOf(
        "user",
        { type: "image", image: "data:image/PNG;base64,AAAA", filename: "a.png" },
        { type: "image", image: "https://a.example/b" },
        { type: "file", data: "https://a.example/c.pdf", mimeType: "application/pdf", filename: "c.pdf" },
        { type: "file", data: "AAAA", mimeType: "application/zip" },
        { type: "file", data: "/files/c.pdf", mimeType: "application/pdf" },
        { type: "audio", audio: { data: "BBBB", format: "wav" } },
      ),
    ).toEqual([
      { type: "file", mediaType: "image/png", url: "data:image/PNG;base64,AAAA", filename: "a.png" },
      { type: "file", mediaType: "image/*", url: "https://a.example/b" },
      { type: "file", mediaType: "application/pdf", url: "https://a.example/c.pdf", filename: "c.pdf" },
      { type: "file", mediaType: "application/zip", url: "data:application/zip;base64,AAAA" },
      { type: "file", mediaType: "application/pdf", url: "/files/c.pdf" },
      { type: "file", mediaType: "audio/wav", url: "data:audio/wav;base64,BBBB" },
    ]);
  });

  test("has a person's attachments among its parts", () => {
    const attachments = [
      {
        id: "1",
        type: "document",
        name: "a.txt",
        status: { type: "complete" },
        content: [{ type: "text", text: "inside" }],
      },
      {
        id: "2",
        type: "image",
        name: "b.png",
        content: [{ type: "image", image: "https://a.example/b.png" }],
      },
      {
        id: "3",
        type: "file",
        name: "c",
        content: [{ type: "file", data: "x:y", mimeType: "a/b", filename: "own" }],
      },
      { id: "4", type: "file", name: "broken" },
      null,
    ];
    expect(converted({ role: "user", content: [{ type: "text", text: "See" }], attachments }).parts).toEqual([
      { type: "text", text: "See" },
      { type: "text", text: "inside" },
      { type: "file", mediaType: "image/*", url: "https://a.example/b.png", filename: "b.png" },
      { type: "file", mediaType: "a/b", url: "x:y", filename: "own" },
    ]);
  });

  test.for([
    [{ result: { a: 1 } }, { state: "output-available", output: { a: 1 } }],
    [{ result: false }, { state: "output-available", output: false }],
    [{ result: null }, { state: "output-available", output: null }],
    [{ result: "" }, { state: "output-available", output: "" }],
    [{}, { state: "input-available" }],
    [
      { isError: true, result: "no" },
      { state: "output-error", errorText: "no" },
    ],
    [
      { isError: true, result: { error: "no" } },
      { state: "output-error", errorText: "no" },
    ],
    [
      { isError: true, result: { code: 7 } },
      { state: "output-error", errorText: '{"code":7}' },
    ],
    [{ isError: true }, { state: "output-error", errorText: "The tool failed." }],
  ])("has a tool call with %j as %j", ([stored, expected]) => {
    const call = { type: "tool-call", toolCallId: "1", toolName: "search", args: { q: "x" } };
    expect(partsOf("assistant", { ...call, ...stored })).toEqual([
      { type: "step-start" },
      { type: "tool-search", toolCallId: "1", input: { q: "x" }, ...expected },
    ]);
  });

  test.for([
    ['{"a":1}', { a: 1 }],
    ["[1]", [1]],
    ["", {}],
    ['{"a":', '{"a":'],
    ["[".repeat(100_000) + "]".repeat(100_000), "[".repeat(100_000) + "]".repeat(100_000)],
  ])("has a call's arguments as JSON, or as text if they are not JSON", ([argsText, input]) => {
    const [, call] = partsOf("assistant", {
      type: "tool-call",
      toolCallId: "1",
      toolName: "x",
      argsText: argsText as string,
    }) as JsonObject[];
    expect(call!.input).toEqual(input);
  });

  test("has a step start after each group of calls", () => {
    const call = (id: string) => ({ type: "tool-call", toolCallId: id, toolName: "x", args: {}, result: 1 });
    const types = partsOf(
      "assistant",
      { type: "text", text: "a" },
      call("1"),
      call("2"),
      { type: "text", text: "b" },
      call("3"),
    );
    expect((types as { type: string }[]).map(({ type }) => type)).toEqual([
      "step-start",
      "text",
      "tool-x",
      "tool-x",
      "step-start",
      "text",
      "tool-x",
    ]);
  });

  test("has unknown kinds as data", () => {
    expect(
      partsOf(
        "user",
        { type: "data", name: "chart", data: [1], id: "d" },
        { type: "data", name: "empty" },
        { type: "generative-ui", spec: { a: 1 }, id: "g" },
        { type: "hologram", depth: 3 },
        { type: "data-weather", data: 1 },
      ),
    ).toEqual([
      { type: "data-chart", id: "d", data: [1] },
      { type: "data-empty", data: null },
      { type: "data-generative-ui", id: "g", data: { a: 1 } },
      { type: "data-hologram", data: { type: "hologram", depth: 3 } },
      { type: "data-weather", data: { type: "data-weather", data: 1 } },
    ]);
  });

  test("has an application's own values and its tools' artifacts as metadata", () => {
    const content = [
      { type: "tool-call", toolCallId: "1", toolName: "x", args: {}, artifact: { big: true } },
      { type: "tool-call", toolCallId: "2", toolName: "x", args: {}, unstable_interactions: [1] },
    ];
    const metadata = {
      custom: { mine: 1 },
      steps: [{ usage: { inputTokens: 1, outputTokens: 2 } }],
      unstable_data: [],
    };
    expect(converted({ role: "assistant", content, metadata }).metadata).toEqual({
      mine: 1,
      steps: metadata.steps,
      __aui_toolArtifacts: { "1": { big: true } },
      __aui_toolInteractions: { "2": [1] },
    });
    expect(
      converted({ role: "assistant", content: [], metadata: { custom: {}, steps: [] } }),
    ).not.toHaveProperty("metadata");
  });

  test("leaves out parts without the fields that their kind requires", () => {
    const broken = ["text", "reasoning", "source", "image", "file", "audio", "tool-call", "data"].map(
      (type) => ({ type }),
    );
    expect(partsOf("user", ...broken, { type: 7 }, null as never, "x" as never)).toEqual([]);
  });
});

/** Parts that resemble real ones, so that the conversion reads beyond their type. */
const anyPart = fc.record(
  {
    type: fc.oneof(
      fc.constantFrom(
        "text",
        "reasoning",
        "source",
        "image",
        "file",
        "audio",
        "tool-call",
        "data",
        "generative-ui",
        "__proto__",
        "step-start",
      ),
      fc.jsonValue(),
    ),
    text: fc.jsonValue(),
    sourceType: fc.constantFrom("url", "document", 7),
    id: fc.oneof(fc.string(), fc.jsonValue()),
    url: fc.oneof(fc.string(), fc.jsonValue()),
    title: fc.oneof(fc.string(), fc.jsonValue()),
    mediaType: fc.oneof(fc.string(), fc.jsonValue()),
    mimeType: fc.oneof(fc.string(), fc.jsonValue()),
    image: fc.oneof(fc.string(), fc.jsonValue()),
    data: fc.oneof(fc.string(), fc.jsonValue()),
    audio: fc.oneof(
      fc.record({ data: fc.oneof(fc.base64String(), fc.jsonValue()), format: fc.jsonValue() }),
      fc.jsonValue(),
    ),
    name: fc.oneof(fc.string(), fc.constant("__proto__"), fc.jsonValue()),
    toolCallId: fc.oneof(fc.string(), fc.constant("__proto__"), fc.jsonValue()),
    toolName: fc.oneof(fc.string(), fc.jsonValue()),
    args: fc.jsonValue(),
    argsText: fc.oneof(fc.json(), fc.string(), fc.jsonValue()),
    result: fc.jsonValue(),
    isError: fc.jsonValue(),
    artifact: fc.jsonValue(),
    unstable_interactions: fc.jsonValue(),
    providerMetadata: fc.jsonValue(),
  },
  { requiredKeys: ["type"] },
);

const anyContent = fc.oneof(
  fc.record(
    {
      role: fc.oneof(fc.constantFrom("user", "assistant", "system"), fc.jsonValue()),
      content: fc.oneof(fc.array(fc.oneof(anyPart, fc.jsonValue()), { maxLength: 6 }), fc.jsonValue()),
      parts: fc.oneof(fc.array(anyPart, { maxLength: 3 }), fc.jsonValue()),
      attachments: fc.oneof(
        fc.array(
          fc.oneof(
            fc.record({ name: fc.jsonValue(), content: fc.array(anyPart, { maxLength: 3 }) }),
            fc.jsonValue(),
          ),
          { maxLength: 3 },
        ),
        fc.jsonValue(),
      ),
      metadata: fc.oneof(fc.record({ custom: fc.jsonValue(), steps: fc.jsonValue() }), fc.jsonValue()),
    },
    { requiredKeys: [] },
  ),
  fc.dictionary(fc.string(), fc.jsonValue()),
);

const anyFormat = fc.oneof(
  fc.constantFrom("aui/v0", "ai-sdk/v5", "ai-sdk/v6", "constructor", "__proto__"),
  fc.string(),
);

describe("any stored content", () => {
  test("converts to JSON without throwing, or stays as it is", () => {
    fc.assert(
      fc.property(
        anyContent,
        anyFormat,
        fc.option(anyFormat, { nil: undefined }),
        (content, format, requested) => {
          const row = message(format, JSON.parse(JSON.stringify(content)));
          const before = JSON.stringify(row);
          const result = convertMessage(row, requested);
          expect(JSON.stringify(row)).toBe(before);
          const { content: _, format: returned, ...rest } = JSON.parse(JSON.stringify(result)) as Message;
          const { content: __, format: ___, ...stored } = row;
          expect(rest).toEqual(stored);
          if (result === row) return;
          expect(returned).toBe(requested);
          const { role, parts } = result.content as { role: unknown; parts: { type: unknown }[] };
          expect(["user", "assistant", "system"]).toContain(role);
          for (const part of parts) expect(typeof part).toBe("object");
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test("keeps all text unchanged", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: "binary" }), { maxLength: 8 }),
        fc.constantFrom("user", "assistant", "system"),
        (texts, role) => {
          const { parts } = converted({ role, content: texts.map((text) => ({ type: "text", text })) });
          const found = (parts as { type: string; text: string }[])
            .filter(({ type }) => type === "text")
            .map(({ text }) => text);
          expect(found).toEqual(texts);
        },
      ),
    );
  });

  test("converts at the depth that requests may have", () => {
    const deep = nested(490);
    const { parts } = converted({ role: "user", content: [{ type: "data", name: "deep", data: deep }] });
    expect(parts).toEqual([{ type: "data-deep", data: deep }]);
  });

  test("keeps keys such as __proto__ and constructor", () => {
    const custom = JSON.parse('{"__proto__":{"a":1},"constructor":2}') as JsonObject;
    const call = { type: "tool-call", toolCallId: "__proto__", toolName: "x", args: {}, artifact: 1 };
    const { metadata } = converted({ role: "assistant", content: [call], metadata: { custom } });
    expect(JSON.stringify(metadata)).toBe(
      '{"__proto__":{"a":1},"constructor":2,"__aui_toolArtifacts":{"__proto__":1}}',
    );
  });
});
