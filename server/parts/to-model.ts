import type { Part } from "#contract/parts/kinds.ts";
import { readStored } from "#contract/parts/stored.ts";
import type { ToolCallPart } from "#contract/parts/tool-call.ts";
import type { ModelAssistantPart, ModelMessage, ModelToolResult, ModelUserPart } from "./model-message.ts";
import { handlersOf } from "./kinds.ts";
import { resultOf } from "./tool-call.ts";

/** A message as it is stored. `role` is from its row; `content` is any value that a client stored. */
export type StoredMessage = {
  id?: string;
  role: string;
  format: string;
  content: unknown;
  isPinned?: boolean;
};

/**
 * A branch of a thread as a model reads it, oldest message first. Unknown parts and empty messages are left out. Every
 * tool call is followed by its result, or by an error if it has none, because providers require one. `convert` converts
 * the parts of one message. Never throws.
 */
export function toModelMessages(
  messages: readonly StoredMessage[],
  convert: (message: StoredMessage, parts: readonly Part[]) => ModelMessage[] = ({ role }, parts) =>
    modelMessages(role, parts),
): ModelMessage[] {
  return messages.flatMap((stored) => {
    const { id, role, format, content, isPinned } = stored;
    return convert(stored, partsOfRole(role, format, content)).map((message) => ({
      ...message,
      ...(id === undefined ? {} : { messageId: id }),
      ...(isPinned === true ? { isPinned } : {}),
    }));
  });
}

/** The parts of a stored message, and of its attachments if it is a person's. */
export function partsOfRole(role: string, format: string, content: unknown): Part[] {
  const { parts, attached } = readStored(format, content);
  return role === "user" ? [...parts, ...attached.flatMap((attachment) => attachment.parts)] : parts;
}

/** One message as a model reads it: no message, one, or one for each step of calls and one for their results. */
export function modelMessages(role: string, parts: readonly Part[]): ModelMessage[] {
  if (role === "user") return userMessage(parts);
  if (role === "assistant") return assistantMessages(parts);
  if (role === "system") return systemMessage(parts);
  return [];
}

function userMessage(parts: readonly Part[]): ModelMessage[] {
  const read = parts.flatMap((part): ModelUserPart[] => listed(handlersOf(part).user(part)));
  return read.length === 0 ? [] : [{ role: "user", parts: read }];
}

function systemMessage(parts: readonly Part[]): ModelMessage[] {
  const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");
  return text === "" ? [] : [{ role: "system", text }];
}

/** The steps of an answer in order. A step ends after its calls, and their results come before the next step. */
function assistantMessages(parts: readonly Part[]): ModelMessage[] {
  const messages: ModelMessage[] = [];
  const calledIds = new Set<string>();
  let step: ModelAssistantPart[] = [];
  let calls: ToolCallPart[] = [];
  const endStep = () => {
    // Providers refuse a message that has reasoning alone.
    if (step.some((part) => part.type !== "reasoning")) messages.push({ role: "assistant", parts: step });
    if (calls.length > 0)
      messages.push({ role: "tool", results: calls.map((call): ModelToolResult => resultOf(call)) });
    step = [];
    calls = [];
  };
  for (const part of parts) {
    if (part.type === "tool-call") {
      if (calledIds.has(part.toolCallId)) continue;
      calledIds.add(part.toolCallId);
    } else if (calls.length > 0 && handlersOf(part).assistant(part) !== undefined) {
      endStep();
    }
    step.push(...listed(handlersOf(part).assistant(part)));
    if (part.type === "tool-call") calls.push(part);
  }
  endStep();
  return messages;
}

function listed<T>(value: T | undefined): T[] {
  return value === undefined ? [] : [value];
}
