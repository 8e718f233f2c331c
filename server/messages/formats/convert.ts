import { isJsonObject, type JsonObject } from "#contract/json.ts";
import { roles, type Message } from "#contract/endpoints/messages.ts";
import { auiToAiSdk } from "./aui-to-ai-sdk.ts";

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
  const convert = own(own(conversions, requested), message.format);
  const content = convert?.(message.content as JsonObject);
  return content === undefined ? message : { ...message, format: requested, content };
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
