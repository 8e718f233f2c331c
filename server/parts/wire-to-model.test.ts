import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { wireToModelMessages } from "./wire-to-model.ts";

const text = (words: string) => ({ type: "text", text: words });
const call = { type: "tool-call", toolCallId: "a", toolName: "weather", args: { city: "Rome" } };

describe("the messages of a protocol client are read", () => {
  test("in the shape of the AI SDK's language models", () => {
    expect(
      wireToModelMessages([
        { role: "system", content: "Be brief." },
        {
          role: "user",
          content: [
            text("Hello"),
            { type: "file", data: "https://example.org/a.png", mediaType: "image/png" },
          ],
        },
        {
          role: "assistant",
          content: [
            text("Let me see."),
            { type: "tool-call", toolCallId: "a", toolName: "weather", input: { city: "Rome" } },
          ],
        },
        {
          role: "tool",
          content: [
            {
              type: "tool-result",
              toolCallId: "a",
              toolName: "weather",
              output: { type: "json", value: { sunny: true } },
            },
          ],
        },
        { role: "assistant", content: [text("Sunny.")] },
      ]),
    ).toEqual([
      { role: "system", text: "Be brief." },
      {
        role: "user",
        parts: [text("Hello"), { type: "file", data: "https://example.org/a.png", mediaType: "image/png" }],
      },
      { role: "assistant", parts: [text("Let me see."), call] },
      {
        role: "tool",
        results: [{ toolCallId: "a", toolName: "weather", result: { sunny: true }, isError: false }],
      },
      { role: "assistant", parts: [text("Sunny.")] },
    ]);
  });

  test("in the shape of a thread, with attachments, results within calls, and the empty answer that is being written", () => {
    expect(
      wireToModelMessages([
        {
          id: "1",
          createdAt: "2026-01-01",
          role: "user",
          content: [text("Hello")],
          attachments: [{ file: {}, content: [text("a,b")] }],
          metadata: {},
        },
        {
          id: "2",
          role: "assistant",
          status: { type: "running" },
          content: [{ ...call, argsText: "{}", result: 0 }],
        },
        { id: "3", role: "assistant", content: [] },
      ]),
    ).toEqual([
      { role: "user", parts: [text("Hello"), text("a,b")] },
      { role: "assistant", parts: [call] },
      { role: "tool", results: [{ toolCallId: "a", toolName: "weather", result: 0, isError: false }] },
    ]);
  });

  test("in the shape of the AI SDK's UI messages, or as plain text", () => {
    expect(
      wireToModelMessages([
        { role: "user", parts: [text("Hello")] },
        { role: "user", content: "There" },
      ]),
    ).toEqual([
      { role: "user", parts: [text("Hello")] },
      { role: "user", parts: [text("There")] },
    ]);
  });

  test.for([
    [{ type: "json", value: 1 }, 1, false],
    [{ type: "text", value: "x" }, "x", false],
    [{ type: "error-text", value: "broken" }, "broken", true],
    [{ type: "error-json", value: { code: 7 } }, { code: 7 }, true],
    [{ type: "execution-denied" }, "The person did not allow this tool call.", true],
    [{ type: "content", value: [text("x")] }, [text("x")], false],
  ] as const)("with the result %j", ([output, result, isError]) => {
    const messages = wireToModelMessages([
      { role: "assistant", content: [call] },
      { role: "tool", content: [{ type: "tool-result", toolCallId: "a", output }] },
    ]);
    expect(messages[1]).toEqual({
      role: "tool",
      results: [{ toolCallId: "a", toolName: "weather", result, isError }],
    });
  });

  test("if a call has no result, or a result no call", () => {
    expect(wireToModelMessages([{ role: "assistant", content: [call] }])[1]).toMatchObject({
      results: [{ isError: true }],
    });
    expect(
      wireToModelMessages([
        {
          role: "tool",
          content: [{ type: "tool-result", toolCallId: "z", output: { type: "json", value: 1 } }],
        },
      ]),
    ).toEqual([]);
  });

  test("with a result for each call if an id occurs twice", () => {
    const turn = (value: number) => [
      { role: "assistant", content: [call] },
      { role: "tool", content: [{ type: "tool-result", toolCallId: "a", output: { type: "json", value } }] },
    ];
    const results = wireToModelMessages([...turn(1), ...turn(2)]).flatMap((message) =>
      message.role === "tool" ? message.results.map(({ result }) => result) : [],
    );
    expect(results).toEqual([1, 2]);
  });

  test("without throwing, whatever they are", () => {
    const part = fc.record({
      type: fc.constantFrom("text", "tool-call", "tool-result", "file", "image"),
      toolCallId: fc.jsonValue(),
      output: fc.jsonValue(),
      input: fc.jsonValue(),
      mediaType: fc.jsonValue(),
      data: fc.jsonValue(),
      text: fc.jsonValue(),
      toolName: fc.jsonValue(),
    });
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.jsonValue(),
            fc.record({
              role: fc.constantFrom("user", "assistant", "tool", "system"),
              content: fc.oneof(fc.jsonValue(), fc.array(part)),
            }),
          ),
        ),
        (messages) => {
          expect(wireToModelMessages(messages)).toBeInstanceOf(Array);
        },
      ),
    );
  });
});
