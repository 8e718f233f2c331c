import { fromThreadMessageLike } from "@assistant-ui/react";
import { expect, test } from "vitest";
import type { BranchMessage, MessageStatus } from "#contract/endpoints/messages.ts";
import { factsOf } from "#web/data/threads/message-facts.ts";
import type { VisibleMessage } from "#web/data/threads/visible-branch.ts";
import { toThreadMessage } from "./convert.ts";

const complete: MessageStatus = { type: "complete", reason: "stop", error_code: null };

function visibleMessage(change: Partial<BranchMessage>, live?: VisibleMessage["live"]): VisibleMessage {
  const row: BranchMessage = {
    id: "msg_a",
    parent_id: null,
    external_id: null,
    height: 0,
    created_at: "2026-01-01T00:00:00.000Z",
    updated_at: "2026-01-01T00:00:00.000Z",
    format: "aui/v0",
    content: { role: "assistant", content: [] },
    role: "assistant",
    status: complete,
    run_id: null,
    siblings: [],
    made_by: null,
    is_pinned: false,
    feedback: null,
    feedback_reason: null,
    feedback_comment: null,
    ...change,
  };
  return { row, live, outboxEntry: undefined };
}

const convert = (message: VisibleMessage) => toThreadMessage(message, factsOf(message));

test("converts every part kind of an answer", () => {
  const content = [
    { type: "reasoning", text: "hm" },
    { type: "text", text: "so" },
    {
      type: "tool-call",
      toolCallId: "c1",
      toolName: "calculate",
      argsText: '{"expression":"1+1"}',
      args: { expression: "1+1" },
      result: 0,
    },
    { type: "source", sourceType: "url", id: "s", url: "https://example.org" },
    { type: "image", image: "data:image/png;base64,AA==" },
    { type: "file", data: "https://example.org/f", mimeType: "text/plain" },
    { type: "audio", audio: { data: "AA==", format: "wav" } },
    { type: "data", name: "chart", data: [1] },
  ];
  const message = convert(visibleMessage({ content: { role: "assistant", content } }));
  expect(message.content).toEqual(content);
  const userMessage = convert(visibleMessage({ role: "user", content: { role: "user", content } }));
  expect(userMessage.content.map(({ type }) => type)).toEqual(["text", "image", "file", "audio", "data"]);
});

test("returns the same message as assistant-ui's own conversion", () => {
  const content = [
    { type: "text" as const, text: "so" },
    { type: "tool-call" as const, toolCallId: "c1", toolName: "t", argsText: "", args: {} },
  ];
  const message = convert(visibleMessage({ content: { role: "assistant", content } }));
  const like = fromThreadMessageLike({ role: "assistant", content, createdAt: message.createdAt }, "msg_a", {
    type: "complete",
    reason: "stop",
  });
  expect({ ...message, metadata: { ...message.metadata, custom: {} } }).toEqual(like);
});

test("gives a call with incomplete arguments empty arguments, and keeps the text", () => {
  const message = convert(
    visibleMessage({
      content: { content: [{ type: "tool-call", toolCallId: "c", toolName: "t", argsText: '{"a' }] },
    }),
  );
  expect(message.content[0]).toMatchObject({ args: {}, argsText: '{"a' });
});

test.each<[Partial<MessageStatus>, object]>([
  [{ type: "running" }, { type: "running" }],
  [
    { type: "incomplete", reason: "cancelled" },
    { type: "incomplete", reason: "cancelled" },
  ],
  [
    { type: "incomplete", reason: "length" },
    { type: "incomplete", reason: "length" },
  ],
  [
    { type: "incomplete", reason: "content-filter" },
    { type: "incomplete", reason: "content-filter" },
  ],
  [
    { type: "incomplete", reason: "interrupted" },
    { type: "incomplete", reason: "other" },
  ],
  [
    { type: "incomplete", reason: "error", error_code: "provider-overloaded" },
    {
      type: "incomplete",
      reason: "error",
      error: "The model provider is overloaded or has a fault. Try again in a moment.",
    },
  ],
  [{ type: "requires-action" }, { type: "requires-action", reason: "tool-calls" }],
])("converts the status of an answer: %o", (status, expected) => {
  expect(convert(visibleMessage({ status: { ...complete, ...status } })).status).toEqual(expected);
});

test("returns the same object for the same message, and another one when its live reply changes", () => {
  const running = visibleMessage({ status: { ...complete, type: "running" } });
  const facts = factsOf(running);
  expect(toThreadMessage(running, facts)).toBe(toThreadMessage({ ...running }, facts));
  const live = { reply: { parts: [{ type: "text" as const, text: "a" }] }, model: undefined };
  const next = toThreadMessage({ ...running, live }, facts);
  expect(next.content).toEqual([{ type: "text", text: "a" }]);
  expect(next.content[0]).toBe(live.reply.parts[0]);
});

test("shows parts of unknown kinds as data, and leaves out what is no part", () => {
  expect(convert(visibleMessage({ content: {} })).content).toEqual([]);
  expect(
    convert(
      visibleMessage({ content: { content: [null, 7, { type: "hologram" }, { type: "text", text: "x" }] } }),
    ).content,
  ).toEqual([
    { type: "data", name: "hologram", data: { type: "hologram" } },
    { type: "text", text: "x" },
  ]);
});
