import { describe, expect, test } from "vitest";
import { requiredCallIds, withCallIds, type CallIdFormat } from "./call-ids.ts";
import type { ChatMessage, ChatPrompt } from "./sdk.ts";

const call = (...ids: string[]): ChatMessage => ({
  role: "assistant",
  content: ids.map((toolCallId) => ({ type: "tool-call", toolCallId, toolName: "calculate", input: {} })),
});
const results = (...ids: string[]): ChatMessage => ({
  role: "tool",
  content: ids.map((toolCallId) => ({
    type: "tool-result",
    toolCallId,
    toolName: "calculate",
    output: { type: "text", value: "2" },
  })),
});
const idsIn = (prompt: ChatPrompt) =>
  prompt.map(({ content }) =>
    (content as { toolCallId: string }[]).map(({ toolCallId }) => toolCallId).join(),
  );

const long = `call_${"x".repeat(80)}`;
const signed = `call_1__thought__${"x".repeat(80)}`;

describe("ids of tool calls", () => {
  test.for<[CallIdFormat, string[], string[]]>([
    ["mistral", ["D681PevKs"], ["call_1", "functions.calculate:0", long, ""]],
    ["anthropic", ["call_1", "toolu_01-A", long], ["functions.calculate:0", "a|b", ""]],
    ["responses", ["call_1", "functions_0", signed], ["functions.calculate:0", long, ""]],
    ["chat-completions", ["call_1", "functions.calculate:0", signed], [long, ""]],
    ["short", ["call_1"], ["functions.calculate:0", long, signed, ""]],
    ["any", ["call_1", "functions.calculate:0", long], [""]],
  ])(
    "stay as they are if the API allows them (%s), and else become valid ones",
    ([format, kept, replaced]) => {
      for (const id of kept) expect(idsIn(withCallIds([call(id), results(id)], format))).toEqual([id, id]);
      for (const id of replaced) {
        const [made, answered] = idsIn(withCallIds([call(id), results(id)], format));
        expect(made).toMatch(format === "mistral" ? /^[A-Za-z0-9]{9}$/ : /^[\w-]{1,40}$/);
        expect(answered).toBe(made);
        expect(made).not.toBe(id);
      }
    },
  );

  test("are different for each call, and the same in the next request", () => {
    const turn = [call("a:0", "a:1"), results("a:1", "a:0")];
    const once = idsIn(withCallIds(turn, "anthropic"));
    const twice = idsIn(withCallIds([...turn, ...turn], "anthropic"));
    expect(twice.slice(0, 2)).toEqual(once);
    const calls = [twice[0]!, twice[2]!].flatMap((ids) => ids.split(","));
    expect(new Set(calls).size).toBe(4);
    expect(twice[3]).toBe(twice[2]!.split(",").toReversed().join());
  });

  test("are changed in the reasoning that names them", () => {
    const detail = (id: string) => ({ type: "reasoning.encrypted", id, data: "x" });
    const message: ChatMessage = {
      ...call(`${long}_2`),
      providerOptions: { openaiCompatible: { reasoning_details: [detail(long), detail("other")] } },
    };
    const [changed] = withCallIds([message], "chat-completions");
    expect(changed!.providerOptions).toEqual({
      openaiCompatible: { reasoning_details: [detail(idsIn([changed!])[0]!), detail("other")] },
    });
  });

  test.for([
    ["Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9.", "mistral"],
    [
      "Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40",
      "short",
    ],
    ["Invalid 'input[4].call_id': string too long.", "short"],
    ["Tool call IDs should be alphanumeric strings with length 9!", "mistral"],
    ["messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'", "short"],
    [
      "Value 'a:0' at 'messages.2.member.content.1.member.toolUse.toolUseId' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+",
      "short",
    ],
    [
      "Invalid 'input[2].call_id': 'a:0'. Expected an ID that contains letters, numbers, underscores, or dashes, but this value contained additional characters.",
      "short",
    ],
    ["tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'", undefined],
    ["The prompt is too long.", undefined],
  ])("are required by %s", ([message, format]) => {
    expect(requiredCallIds(message!)).toBe(format);
  });
});
