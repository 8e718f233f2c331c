import { isJsonObject, nestsDeeper, type JsonObject } from "./json.ts";
import { limits } from "./limits.ts";

/** A kind of model provider as the owner sees it. */
export type ProviderKindInfo = {
  /** The provider's own name. It is the same in every language. */
  name: string;
  /** The base URL if none is given; absent if there is no usual one. */
  baseUrl?: string;
  /** An example of a base URL, if there is no usual one. */
  exampleUrl?: string;
  key: "required" | "optional";
  /** Where people get a key. */
  keyUrl?: string;
};

/** Every kind of model provider that the owner can add, in the order in which they are shown. */
export const providerKinds = {
  openai: {
    name: "OpenAI",
    baseUrl: "https://api.openai.com/v1",
    key: "required",
    keyUrl: "https://platform.openai.com/api-keys",
  },
  anthropic: {
    name: "Anthropic",
    baseUrl: "https://api.anthropic.com/v1",
    key: "required",
    keyUrl: "https://console.anthropic.com/settings/keys",
  },
  google: {
    name: "Google Gemini",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
    key: "required",
    keyUrl: "https://aistudio.google.com/apikey",
  },
  mistral: {
    name: "Mistral",
    baseUrl: "https://api.mistral.ai/v1",
    key: "required",
    keyUrl: "https://console.mistral.ai/api-keys",
  },
  openrouter: {
    name: "OpenRouter",
    baseUrl: "https://openrouter.ai/api/v1",
    key: "required",
    keyUrl: "https://openrouter.ai/settings/keys",
  },
  groq: {
    name: "Groq",
    baseUrl: "https://api.groq.com/openai/v1",
    key: "required",
    keyUrl: "https://console.groq.com/keys",
  },
  azure: {
    name: "Azure OpenAI",
    exampleUrl: "https://NAME.openai.azure.com/openai/v1",
    key: "required",
  },
  ollama: { name: "Ollama", baseUrl: "http://127.0.0.1:11434", key: "optional" },
  "openai-compatible": {
    name: "OpenAI-compatible",
    exampleUrl: "http://127.0.0.1:8080/v1",
    key: "optional",
  },
} as const satisfies Record<string, ProviderKindInfo>;

export type ProviderKindId = keyof typeof providerKinds;

export const providerKindIds = Object.keys(providerKinds) as ProviderKindId[];

export function providerKindInfo(kind: ProviderKindId): ProviderKindInfo {
  return providerKinds[kind];
}

/** How hard a model thinks before it answers. */
export const reasoningEfforts = ["none", "low", "medium", "high"] as const;
export type ReasoningEffort = (typeof reasoningEfforts)[number];

/** Options of the AI SDK for the models of each kind of provider. */
export type ProviderOptions = { [Kind in ProviderKindId]?: JsonObject };

/** Enough for objects in objects, such as a budget for thinking. */
const levelsMax = 10;

export function areProviderOptions(value: unknown): value is ProviderOptions {
  return (
    isJsonObject(value) &&
    Object.entries(value).every(
      ([kind, options]) => providerKindIds.some((id) => id === kind) && isJsonObject(options),
    ) &&
    !nestsDeeper(value, levelsMax) &&
    JSON.stringify(value).length <= limits.providerOptionsCharacters
  );
}
