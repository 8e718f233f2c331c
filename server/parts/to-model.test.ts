import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { partsOf, plainText } from "./parts.ts";
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

describe("a stored branch becomes a conversation", () => {
  test("of words, whichever format they are stored in", () => {
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

  test("with files, pictures, sound and attachments", () => {
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
        { type: "file", data: "data:image/webp;base64,AA==", mediaType: "image/webp" },
      ],
    });
  });

  test("with each call followed by its result, step by step", () => {
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

  test("in which a call without a result is answered by an error", () => {
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
        { type: "tool-x", toolCallId: "e", state: "input-streaming", input: { n: undefined } },
      ]),
    ]);
    expect(messages[0]).toMatchObject({
      parts: [
        { toolCallId: "a", args: { n: 1 } },
        { toolName: "y" },
        { toolCallId: "c" },
        { toolCallId: "d" },
      ],
    });
    expect(messages[1]).toMatchObject({
      results: [
        { isError: true },
        { result: 7, isError: false },
        { result: "broken", isError: true },
        { isError: true },
      ],
    });
  });

  test("without what says nothing, and without a call told twice", () => {
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

  test("whatever a client stored: never throws", () => {
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
          const told = toModelMessages(messages);
          const callers = told.filter(
            (message) =>
              message.role === "assistant" && message.parts.some(({ type }) => type === "tool-call"),
          );
          expect(callers.map((caller) => told[told.indexOf(caller) + 1]?.role)).toEqual(
            callers.map(() => "tool"),
          );
          for (const message of messages)
            expect(typeof plainText(message.format, message.content)).toBe("string");
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe("the words of a message", () => {
  test("are its text parts alone", () => {
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
    expect(
      plainText("ai-sdk/v6", {
        parts: [{ type: "step-start" }, text("One"), { type: "reasoning", text: "Hm." }],
      }),
    ).toBe("One");
    expect(plainText("text", { content: "Plain" })).toBe("Plain");
    expect(plainText("aui/v0", null)).toBe("");
  });
});

describe("the parts of a message of the AI SDK", () => {
  test("are told in our own shapes", () => {
    expect(
      partsOf("ai-sdk/v6", {
        parts: [
          { type: "source-url", sourceId: "s", url: "https://example.org", title: "E" },
          {
            type: "source-document",
            sourceId: "d",
            mediaType: "application/pdf",
            title: "D",
            filename: "d.pdf",
          },
          { type: "file", mediaType: "image/png", url: "data:image/png;base64,AA==" },
          { type: "file", mediaType: "text/plain", url: "data:,x", filename: "x.txt" },
          { type: "data-weather", id: "1", data: { sunny: true } },
          { type: "step-start" },
        ],
      }),
    ).toEqual([
      { type: "source", sourceType: "url", id: "s", url: "https://example.org", title: "E" },
      {
        type: "source",
        sourceType: "document",
        id: "d",
        mediaType: "application/pdf",
        title: "D",
        filename: "d.pdf",
      },
      { type: "image", image: "data:image/png;base64,AA==" },
      { type: "file", data: "data:,x", mimeType: "text/plain", filename: "x.txt" },
      { type: "data", name: "weather", data: { sunny: true } },
    ]);
  });
});
