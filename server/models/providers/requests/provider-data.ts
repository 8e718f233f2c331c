import { isJsonObject, type JsonObject } from "#contract/json.ts";
import type { ModelAssistantPart, ModelEvent, ProviderData } from "../../model.ts";
import type { ChatMessage, ChatStreamPart } from "./sdk.ts";

/** The source of a model's data. Signatures and encrypted reasoning of another host or model are refused. */
export function dataSource({ baseUrl }: { baseUrl: string }, modelId: string): string {
  return `${new URL(baseUrl).host} ${modelId}`;
}

export function toProviderData(
  source: string,
  data: Record<string, unknown> | undefined,
): { providerData?: ProviderData } {
  return data === undefined ? {} : { providerData: { source, data: data as JsonObject } };
}

/** The SDK's name for options of a message, whose fields are added to the message in the request. */
const messageOptions = "openaiCompatible";

/** Data that are fields of a message of chat completions. */
export function messageData(source: string, fields: JsonObject): ProviderData {
  return { source, data: { [messageOptions]: fields } };
}

/** The fields of the message with these parts, which are in their data; `undefined` if there are none. */
export function messageFields(parts: readonly ModelAssistantPart[]): JsonObject | undefined {
  const found = parts.map(({ providerData }) => providerData?.data[messageOptions]).filter(isJsonObject);
  return found.length === 0 ? undefined : Object.assign({}, ...found);
}

export function messageProviderOptions(fields: JsonObject): Record<string, JsonObject> {
  return { [messageOptions]: fields };
}

/** The fields that are added to this message. */
export function fieldsOf({ providerOptions }: ChatMessage): JsonObject | undefined {
  return providerOptions?.[messageOptions] as JsonObject | undefined;
}

/** Collects the data of text and of reasoning, which comes with the beginning, a delta or the end of a block. */
export function createBlockData(source: string) {
  const open = new Map<string, Record<string, JsonObject>>();
  return {
    /** The event for the block that ends with `part`, if it has data. */
    take(part: ChatStreamPart): ModelEvent | undefined {
      switch (part.type) {
        case "text-start":
        case "text-delta":
        case "text-end":
        case "reasoning-start":
        case "reasoning-delta":
        case "reasoning-end":
          break;
        default:
          return undefined;
      }
      const { id, providerMetadata } = part;
      if (providerMetadata !== undefined) {
        const data = open.get(id) ?? {};
        for (const [provider, fields] of Object.entries(providerMetadata as Record<string, JsonObject>))
          data[provider] = { ...data[provider], ...fields };
        open.set(id, data);
      }
      const data = open.get(id);
      if (data === undefined || (part.type !== "text-end" && part.type !== "reasoning-end")) return undefined;
      open.delete(id);
      const of = part.type === "text-end" ? "text" : "reasoning";
      return { type: "provider-data", of, providerData: { source, data } };
    },
  };
}

/** The parts with the data of `source` alone. */
export function withDataOf(
  parts: readonly ModelAssistantPart[],
  source: string | undefined,
): readonly ModelAssistantPart[] {
  if (parts.every(({ providerData }) => providerData === undefined)) return parts;
  const own = parts.map((part): ModelAssistantPart => {
    const { providerData, ...rest } = part;
    return providerData !== undefined && providerData.source === source ? part : rest;
  });
  // OpenAI finds reasoning by its id only if it stores the conversation, so without its encrypted form it is lost.
  const encrypted = new Set(
    own.flatMap(({ providerData }) => {
      const { itemId, reasoningEncryptedContent } = openAiData(providerData);
      return typeof reasoningEncryptedContent === "string" ? [itemId] : [];
    }),
  );
  return own.map((part) => {
    const { itemId } = openAiData(part.providerData);
    if (part.type !== "reasoning" || itemId === undefined || encrypted.has(itemId)) return part;
    return { type: part.type, text: part.text };
  });
}

function openAiData(providerData: ProviderData | undefined): JsonObject {
  return (providerData?.data.openai ?? {}) as JsonObject;
}
