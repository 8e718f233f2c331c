import type { Part } from "#contract/parts/kinds.ts";
import { readStored } from "#contract/parts/stored.ts";
import type { ToolCallPart } from "#contract/parts/tool-call.ts";
import type { ModelAssistantPart, ModelMessage, ModelToolResult, ModelUserPart } from "./model-message.ts";
import type { PartToModel } from "./kind.ts";
import { partsToModel } from "./kinds.ts";
import { resultOf } from "./tool-call.ts";

/** A message as it is stored. `role` is what its row says; `content` is whatever its client stored. */
export type StoredMessage = { role: string; format: string; content: unknown };

/**
 * A thread's branch as a model is to read it, from the top down. Unknown parts are skipped, messages that say nothing
 * are left out, every tool call is followed by its result, and calls without one are answered by an error, for
 * providers refuse anything else. Never throws.
 */
export function toModelMessages(messages: readonly StoredMessage[]): ModelMessage[] {
  return messages.flatMap((message) => {
    return modelMessages(message.role, partsOfRole(message.role, message.format, message.content));
  });
}

/** The parts of a stored message; only people's messages have attachments. */
export function partsOfRole(role: string, format: string, content: unknown): Part[] {
  const { parts, attached } = readStored(format, content);
  return role === "user" ? [...parts, ...attached.flatMap((attachment) => attachment.parts)] : parts;
}

/** The messages that one message of `role` with `parts` is to a model: none, one, or calls and results in turn. */
export function modelMessages(role: string, parts: readonly Part[]): ModelMessage[] {
  if (role === "user") return userMessage(parts);
  if (role === "assistant") return assistantMessages(parts);
  if (role === "system") return systemMessage(parts);
  return [];
}

function userMessage(parts: readonly Part[]): ModelMessage[] {
  const told = parts.flatMap((part): ModelUserPart[] => listed(toModel(part).user(part)));
  return told.length === 0 ? [] : [{ role: "user", parts: told }];
}

function systemMessage(parts: readonly Part[]): ModelMessage[] {
  const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");
  return text === "" ? [] : [{ role: "system", text }];
}

/** One step of the answer after another: a step ends after its calls, whose results come before the next step. */
function assistantMessages(parts: readonly Part[]): ModelMessage[] {
  const messages: ModelMessage[] = [];
  const calledIds = new Set<string>();
  let step: ModelAssistantPart[] = [];
  let calls: ToolCallPart[] = [];
  const endStep = () => {
    // Thinking alone is no answer, and providers refuse a message that says nothing.
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
    } else if (calls.length > 0 && toModel(part).assistant(part) !== undefined) {
      endStep();
    }
    step.push(...listed(toModel(part).assistant(part)));
    if (part.type === "tool-call") calls.push(part);
  }
  endStep();
  return messages;
}

function toModel(part: Part): PartToModel<Part> {
  // The table pairs each kind with its own part; TypeScript cannot follow the pair through the lookup.
  return partsToModel[part.type];
}

function listed<T>(value: T | undefined): T[] {
  return value === undefined ? [] : [value];
}
