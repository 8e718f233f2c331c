import { hash } from "node:crypto";
import { isJsonObject, type JsonObject } from "#contract/json.ts";
import { fieldsOf, messageProviderOptions } from "./provider-data.ts";
import type { ChatMessage, ChatPrompt } from "./sdk.ts";

/**
 * The ids of tool calls that a provider accepts. A conversation has the ids of every model that answered in it, and each
 * makes them in its own way: `call_…`, `toolu_…`, `functions.calculate:0`.
 */
export type CallIdFormat = keyof typeof formats;

const formats = {
  any: /^.+$/s,
  /** Anthropic: "String should match pattern '^[a-zA-Z0-9_-]+$'". */
  anthropic: /^[\w-]+$/,
  /** Mistral: "must be a-z, A-Z, 0-9, with a length of 9". */
  mistral: /^[A-Za-z0-9]{9}$/,
  /**
   * OpenAI: "Expected a string with maximum length 64". LiteLLM, which has this API too, keeps Gemini's signature in the id
   * and needs it back: `call_1__thought__…`.
   */
  responses: /^(?:[\w-]{1,64}|.*__thought__.*)$/s,
  /** OpenAI: "maximum length 40", or 64 in newer reports; LiteLLM as above. Others make ids with any characters. */
  "chat-completions": /^(?:.{1,40}|.*__thought__.*)$/s,
  /** Of a server that refused a longer id. */
  short: /^[\w-]{1,40}$/,
};

/**
 * The prompt with ids that the format allows, each once; a call and its result have the same one. An id depends only on
 * what is before it, so that requests of one conversation begin alike and read the provider's cache.
 */
export function withCallIds(prompt: ChatPrompt, format: CallIdFormat): ChatPrompt {
  const used = new Set<string>();
  /** The new ids by the original ones. A result follows its call, so that the last call of a name counts. */
  const ids = new Map<string, string>();
  const idOf = (id: string) => ids.get(id) ?? id;

  function addCall(id: string): void {
    let free = formats[format].test(id) ? id : idFor(id, format);
    for (let n = 2; used.has(free); n++) free = idFor(`${id} ${n}`, format);
    used.add(free);
    ids.set(id, free);
  }

  return prompt.map((message): ChatMessage => {
    if (message.role === "assistant") {
      for (const part of message.content) if (part.type === "tool-call") addCall(part.toolCallId);
      const content = message.content.map((part) =>
        part.type === "tool-call" ? { ...part, toolCallId: idOf(part.toolCallId) } : part,
      );
      const fields = fieldsOf(message);
      if (fields === undefined) return { ...message, content };
      const renamed = withRenamedDetails(
        fields,
        message.content.flatMap((part) =>
          part.type === "tool-call" ? [{ from: part.toolCallId, to: idOf(part.toolCallId) }] : [],
        ),
      );
      return { ...message, content, providerOptions: messageProviderOptions(renamed) };
    }
    if (message.role !== "tool") return message;
    const content = message.content.map((part) =>
      part.type === "tool-result" ? { ...part, toolCallId: idOf(part.toolCallId) } : part,
    );
    return { ...message, content };
  });
}

/**
 * An encrypted entry of `reasoning_details` can have the id of its call. The call may have been stored under another id, with
 * a number at the end, because the model had used its id before.
 */
function withRenamedDetails(fields: JsonObject, calls: readonly { from: string; to: string }[]): JsonObject {
  const { reasoning_details: details } = fields;
  if (!Array.isArray(details)) return fields;
  const renamed = details.map((detail) => {
    if (!isJsonObject(detail)) return detail;
    const call =
      calls.find(({ from }) => from === detail.id) ??
      calls.find(({ from }) => from.replace(/_\d+$/, "") === detail.id);
    return call === undefined ? detail : { ...detail, id: call.to };
  });
  return { ...fields, reasoning_details: renamed };
}

/** The format that a provider requires by this error message; `undefined` if it is not about ids of calls. */
export function requiredCallIds(message: string): CallIdFormat | undefined {
  if (/(?:a-z, A-Z, 0-9|alphanumeric).{0,20}length (?:of )?9/i.test(message)) return "mistral";
  return refusedIdPattern.test(message) ? "short" : undefined;
}

/** OpenAI: "call_id: string too long", "Expected an ID that contains letters…". Anthropic and Bedrock name a pattern. */
const refusedIdPattern =
  /(?:tool_calls?\b.{0,20}\bid|call_id|tool_?use_?id|tool_use\.id)\b.{0,80}(?:too long|pattern|letters, numbers)/i;

/** An id of letters and digits, the same for the same text. Every provider accepts its characters and its length. */
function idFor(text: string, format: CallIdFormat): string {
  const digits = hash("sha256", text, "hex");
  return format === "mistral" ? digits.slice(0, 9) : `call_${digits.slice(0, 24)}`;
}
