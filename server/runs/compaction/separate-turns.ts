import type { ModelMessage } from "#server/models/model.ts";

const gap = "[Messages between these are left out.]";

/**
 * Pinned messages stay where the messages around them are left out, so that two of a person, or two answers, can follow each
 * other. Some models refuse that: a short message of the other side says what is missing.
 */
export function separateTurns(messages: readonly ModelMessage[]): ModelMessage[] {
  if (!messages.some(({ isPinned }) => isPinned)) return [...messages];
  return messages.flatMap((message, at): ModelMessage[] => {
    const before = messages[at - 1];
    const isFirst = before === undefined || before.role === "system";
    // Many models refuse a conversation that begins with an answer.
    if (isFirst && message.isPinned === true && message.role === "assistant")
      return [{ role: "user", parts: [{ type: "text", text: gap }] }, message];
    if (before?.isPinned !== true && message.isPinned !== true) return [message];
    if (before?.role === "user" && message.role === "user")
      return [{ role: "assistant", parts: [{ type: "text", text: gap }] }, message];
    const followsAnswer = before?.role === "assistant" || before?.role === "tool";
    // The steps of one answer belong together.
    if (followsAnswer && message.role === "assistant" && before.messageId !== message.messageId)
      return [{ role: "user", parts: [{ type: "text", text: gap }] }, message];
    return [message];
  });
}
