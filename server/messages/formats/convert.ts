import { isJsonObject, type JsonObject } from "#contract/json.ts";
import { roles, type Message } from "#contract/endpoints/messages.ts";
import { auiToAiSdk } from "./aui-to-ai-sdk.ts";

type Convert = (content: JsonObject) => JsonObject | undefined;

/** What can be read as what: by the format that is asked for, then by the stored one. */
const conversions: Record<string, Record<string, Convert>> = {
  "ai-sdk/v6": { "aui/v0": (content) => auiToAiSdk(content, "v6"), "ai-sdk/v5": sameParts },
  "ai-sdk/v5": { "aui/v0": (content) => auiToAiSdk(content, "v5") },
};

/**
 * The message in the format that was asked for, under that format's name; the same message where there is no way from
 * the one to the other, or where its content is not what its format says. Never throws.
 */
export function convertMessage(message: Message, asked: string | undefined): Message {
  const way = asked === undefined ? undefined : own(own(conversions, asked), message.format);
  const content = way?.(message.content as JsonObject);
  return asked === undefined || content === undefined ? message : { ...message, format: asked, content };
}

/** The older rows have the newer one's shape; the newer one only has more states of a tool call. */
function sameParts(content: JsonObject): JsonObject | undefined {
  const isMessage =
    roles.some((role) => role === content.role) &&
    Array.isArray(content.parts) &&
    content.parts.every(isJsonObject);
  return isMessage ? content : undefined;
}

/** Names of formats come from outside, and may be names that every object has. */
function own<Value>(record: Record<string, Value> | undefined, key: string): Value | undefined {
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
}
