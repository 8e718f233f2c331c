import { isJsonObject, type JsonObject, type Json } from "#contract/json.ts";
import { roles, type Message } from "#contract/endpoints/messages.ts";
import { isPartKind } from "#contract/parts/kinds.ts";
import { readPart } from "#contract/parts/stored.ts";
import { pickFields } from "#server/parts/pick-fields.ts";
import type { AiSdkVersion } from "#server/parts/kind.ts";
import { handlersOf } from "#server/parts/kinds.ts";

type Convert = (content: JsonObject) => JsonObject | undefined;

/** The possible conversions, by requested format, then by stored format. */
const conversions: Record<string, Record<string, Convert>> = {
  "ai-sdk/v6": { "aui/v0": (content) => auiToAiSdk(content, "v6"), "ai-sdk/v5": sameParts },
  "ai-sdk/v5": { "aui/v0": (content) => auiToAiSdk(content, "v5") },
};

/**
 * The message in the requested format, or the same message if there is no such conversion or its content does not match
 * its format. Never throws.
 */
export function convertMessage(message: Message, requested: string | undefined): Message {
  if (requested === undefined) return message;
  const content = convertContent(message.content as JsonObject, message.format, requested);
  return content === undefined ? message : { ...message, format: requested, content };
}

/** The content in the requested format; `undefined` if it cannot be converted. */
export function convertContent(
  content: JsonObject,
  format: string,
  requested: string,
): JsonObject | undefined {
  return own(own(conversions, requested), format)?.(content);
}

/** AI SDK 6 reads version 5 messages as they are: it only adds states of a tool call. */
function sameParts(content: JsonObject): JsonObject | undefined {
  const isMessage =
    roles.some((role) => role === content.role) &&
    Array.isArray(content.parts) &&
    content.parts.every(isJsonObject);
  return isMessage ? content : undefined;
}

/** Clients choose the names of formats, which may be inherited properties such as `constructor`. */
function own<Value>(record: Record<string, Value> | undefined, key: string): Value | undefined {
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
}

/**
 * Converts `aui/v0` content to an AI SDK message. The versions differ only in tool calls that need approval, which
 * version 5 does not have. Attachments become parts, an application's own values become metadata, and parts of an
 * unknown kind become data parts. Returns `undefined` if the content is not an `aui/v0` message. Never throws.
 */
function auiToAiSdk(content: JsonObject, version: AiSdkVersion): JsonObject | undefined {
  const isMessage = roles.some((role) => role === content.role) && Array.isArray(content.content);
  if (!isMessage) return undefined;
  const stored = (content.content as Json[]).filter(isJsonObject);
  const parts = stored.flatMap((part) => aiSdkParts(part, version));
  const metadata = metadataOf(content, stored);
  return {
    role: content.role!,
    parts: content.role === "assistant" ? inSteps(parts) : [...parts, ...attachedParts(content, version)],
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
  };
}

function attachedParts(content: JsonObject, version: AiSdkVersion): JsonObject[] {
  if (!Array.isArray(content.attachments)) return [];
  return content.attachments.flatMap((attachment) => {
    if (!isJsonObject(attachment) || !Array.isArray(attachment.content)) return [];
    const named = typeof attachment.name === "string" ? { filename: attachment.name } : {};
    return attachment.content
      .filter(isJsonObject)
      .flatMap((part) => aiSdkParts(part, version))
      .map((part) => (part.type === "file" ? { ...named, ...part } : part));
  });
}

function metadataOf(content: JsonObject, stored: JsonObject[]): JsonObject {
  const metadata = isJsonObject(content.metadata) ? content.metadata : {};
  const artifacts = ofCalls(stored, "artifact");
  const interactions = ofCalls(stored, "unstable_interactions");
  return {
    ...(isJsonObject(metadata.custom) ? metadata.custom : {}),
    ...(Array.isArray(metadata.steps) && metadata.steps.length > 0 ? { steps: metadata.steps } : {}),
    ...(artifacts === undefined ? {} : { __aui_toolArtifacts: artifacts }),
    ...(interactions === undefined ? {} : { __aui_toolInteractions: interactions }),
  };
}

/** The values of this field of the tool calls, by call id. */
function ofCalls(stored: JsonObject[], field: string): JsonObject | undefined {
  const entries = stored.flatMap((part): [string, Json][] => {
    const value = part[field];
    return part.type === "tool-call" && typeof part.toolCallId === "string" && value !== undefined
      ? [[part.toolCallId, value]]
      : [];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** Adds `step-start` parts: the AI SDK sends a model the calls of a step and their results before the next step. */
function inSteps(parts: JsonObject[]): JsonObject[] {
  const isCall = (part: JsonObject | undefined) => part !== undefined && "toolCallId" in part;
  return parts.flatMap((part, index) => {
    const begins = index === 0 || (isCall(parts[index - 1]) && !isCall(part));
    return begins ? [{ type: "step-start" }, part] : [part];
  });
}

/** A stored part in the AI SDK's shape. None if a required field is missing. */
function aiSdkParts(stored: JsonObject, version: AiSdkVersion): JsonObject[] {
  const { type } = stored;
  if (isPartKind(type)) {
    const part = readPart(stored);
    const converted = part && handlersOf(part).aiSdk(part, version);
    return converted === undefined ? [] : [converted];
  }
  if (type === "generative-ui")
    return [{ type: "data-generative-ui", ...pickFields(stored, "id"), data: stored.spec ?? null }];
  if (typeof type !== "string") return [];
  return [{ type: type.startsWith("data-") ? type : `data-${type}`, data: stored }];
}
