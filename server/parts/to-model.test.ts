import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toModelMessages } from "./to-model.ts";

const own = (role: string, content: unknown[], more: object = {}) => ({
  role,
  format: "aui/v0",
  content: { role, content, metadata: { custom: {} }, ...more },
});
const sdk = (role: string, parts: unknown[], format = "ai-sdk/v6") => ({
  role,
  format,
  content: { role, parts },
});
const text = (words: string) => ({ type: "text", text: words });

describe("a stored branch as a model reads it", () => {
  test("has the text of messages in every format", () => {
    expect(
      toModelMessages([
        own("system", [text("Be brief.")]),
        own("user", [text("Hello")]),
        sdk("assistant", [text("Hi")]),
        sdk("user", [text("And?")], "ai-sdk/v5"),
      ]),
    ).toEqual([
      { role: "system", text: "Be brief." },
      { role: "user", parts: [text("Hello")] },
      { role: "assistant", parts: [text("Hi")] },
      { role: "user", parts: [text("And?")] },
    ]);
  });

  test("has files, pictures, sound and attachments", () => {
    const attachments = [
      { id: "1", type: "document", name: "a.csv", content: [{ type: "text", text: "a,b" }] },
      {
        id: "2",
        type: "image",
        name: "b.png",
        content: [{ type: "image", image: "data:image/webp;base64,AA==" }],
      },
      { id: "3", type: "file", name: "nothing" },
    ];
    const [message] = toModelMessages([
      own(
        "user",
        [
          text("Look"),
          { type: "image", image: "https://example.org/a.png", filename: "a.png" },
          { type: "file", data: "AA==", mimeType: "application/pdf", filename: "a.pdf" },
          { type: "audio", audio: { data: "BB==", format: "mp3" } },
          { type: "data", name: "weather", data: { sunny: true } },
        ],
        { attachments },
      ),
    ]);
    expect(message).toEqual({
      role: "user",
      parts: [
        text("Look"),
        { type: "file", data: "https://example.org/a.png", mediaType: "image/*", filename: "a.png" },
        { type: "file", data: "AA==", mediaType: "application/pdf", filename: "a.pdf" },
        { type: "file", data: "BB==", mediaType: "audio/mpeg" },
        text("a,b"),
        { type: "file", data: "data:image/webp;base64,AA==", mediaType: "image/webp", filename: "b.png" },
      ],
    });
  });

  test("has the result of each call after the call, step by step", () => {
    const call = (id: string, result: object) => ({
      type: "tool-call",
      toolCallId: id,
      toolName: "calculate",
      args: { expression: id },
      argsText: "",
      ...result,
    });
    expect(
      toModelMessages([
        own("assistant", [
          { type: "reasoning", text: "Hm." },
          text("Let me see."),
          call("a", { result: { result: "2" } }),
          call("b", { result: false }),
          { type: "source", sourceType: "url", id: "1", url: "https://example.org" },
          text("It is 2."),
          call("c", { result: "no", isError: true }),
        ]),
      ]),
    ).toEqual([
      {
        role: "assistant",
        parts: [
          { type: "reasoning", text: "Hm." },
          text("Let me see."),
          { type: "tool-call", toolCallId: "a", toolName: "calculate", args: { expression: "a" } },
          { type: "tool-call", toolCallId: "b", toolName: "calculate", args: { expression: "b" } },
        ],
      },
      {
        role: "tool",
        results: [
          { toolCallId: "a", toolName: "calculate", result: { result: "2" }, isError: false },
          { toolCallId: "b", toolName: "calculate", result: false, isError: false },
        ],
      },
      {
        role: "assistant",
        parts: [
          text("It is 2."),
          { type: "tool-call", toolCallId: "c", toolName: "calculate", args: { expression: "c" } },
        ],
      },
      { role: "tool", results: [{ toolCallId: "c", toolName: "calculate", result: "no", isError: true }] },
    ]);
  });

  test("has an error as the result of a call without one", () => {
    const [, results] = toModelMessages([
      own("assistant", [{ type: "tool-call", toolCallId: "a", toolName: "x", argsText: "{" }]),
    ]);
    expect(results).toEqual({
      role: "tool",
      results: [
        { toolCallId: "a", toolName: "x", result: "This tool call was not carried out.", isError: true },
      ],
    });
    const messages = toModelMessages([
      sdk("assistant", [
        { type: "tool-x", toolCallId: "a", state: "input-available", input: { n: 1 } },
        {
          type: "dynamic-tool",
          toolName: "y",
          toolCallId: "b",
          state: "output-available",
          input: {},
          output: 7,
        },
        { type: "tool-x", toolCallId: "c", state: "output-error", input: {}, errorText: "broken" },
        { type: "tool-x", toolCallId: "d", state: "output-denied", input: {} },
        { type: "tool-x", toolCallId: "e", state: "output-error", input: {} },
        { type: "tool-x", toolCallId: "f", state: "input-streaming" },
      ]),
    ]);
    expect(messages[0]).toMatchObject({
      parts: [
        { toolCallId: "a", args: { n: 1 } },
        { toolName: "y" },
        { toolCallId: "c" },
        { toolCallId: "d" },
        { toolCallId: "e" },
        { toolCallId: "f", args: {} },
      ],
    });
    expect(messages[1]).toMatchObject({
      results: [
        { result: "This tool call was not carried out.", isError: true },
        { result: 7, isError: false },
        { result: "broken", isError: true },
        { result: "The person did not allow this tool call.", isError: true, isDenied: true },
        { result: "The tool failed.", isError: true },
        { result: "This tool call was not carried out.", isError: true },
      ],
    });
  });

  test("has no empty messages and no call twice", () => {
    const call = { type: "tool-call", toolCallId: "a", toolName: "x", result: 1 };
    expect(
      toModelMessages([
        own("assistant", []),
        own("user", [text("")]),
        own("assistant", [{ type: "reasoning", text: "Hm." }]),
        own("assistant", [{ type: "data", name: "x", data: 1 }]),
        own("narrator", [text("Meanwhile")]),
        own("system", []),
      ]),
    ).toEqual([]);
    expect(toModelMessages([own("assistant", [call, call])])).toHaveLength(2);
  });

  test("is made from any content that a client stored, without throwing", () => {
    const odd = fc.oneof(fc.constantFrom("user", "assistant", "system", "tool", ""), fc.string());
    const type = fc.constantFrom(
      "text",
      "reasoning",
      "tool-call",
      "image",
      "file",
      "audio",
      "source",
      "data",
      "tool-x",
      "dynamic-tool",
      "data-x",
      "step-start",
      "source-url",
      "constructor",
      "__proto__",
    );
    const part = fc.oneof(
      fc.jsonValue(),
      fc.record({
        type,
        text: fc.jsonValue(),
        toolCallId: fc.jsonValue(),
        toolName: fc.jsonValue(),
        image: fc.jsonValue(),
        audio: fc.jsonValue(),
        data: fc.jsonValue(),
        mimeType: fc.jsonValue(),
        url: fc.jsonValue(),
        state: fc.jsonValue(),
      }),
    );
    const content = fc.oneof(
      fc.jsonValue(),
      fc.record({
        content: fc.oneof(fc.jsonValue(), fc.array(part)),
        parts: fc.oneof(fc.jsonValue(), fc.array(part)),
        attachments: fc.oneof(fc.jsonValue(), fc.array(fc.record({ content: fc.array(part) }))),
      }),
    );
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            role: odd,
            format: fc.oneof(fc.constantFrom("aui/v0", "ai-sdk/v5", "ai-sdk/v6"), fc.string()),
            content,
          }),
          { maxLength: 4 },
        ),
        (messages) => {
          const converted = toModelMessages(messages);
          const callers = converted.filter(
            (message) =>
              message.role === "assistant" && message.parts.some(({ type }) => type === "tool-call"),
          );
          expect(callers.map((caller) => converted[converted.indexOf(caller) + 1]?.role)).toEqual(
            callers.map(() => "tool"),
          );
        },
      ),
      { numRuns: 300 },
    );
  });
});
