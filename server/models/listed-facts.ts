import { isJsonObject, type Json, type JsonObject } from "#contract/json.ts";
import type { ModelInput } from "#contract/endpoints/models.ts";

/** What a provider's list says of a model; absent where it says nothing. */
export type ListedFacts = { reads?: ModelInput[]; contextTokens?: number };

/**
 * Reads an entry of a list of models. Providers agree on its name alone; these are the fields of OpenRouter, Mistral,
 * vLLM, llama.cpp, Groq, Fireworks, Moonshot, and of Ollama's own `show`.
 */
export function listedFacts(entry: JsonObject): ListedFacts {
  const reads = readsOf(entry);
  const contextTokens = [
    entry.context_length,
    entry.max_model_len,
    entry.context_window,
    entry.max_context_length,
    field(entry.meta, "n_ctx"),
  ].find((count) => typeof count === "number" && count > 0);
  return {
    ...(reads === undefined ? {} : { reads }),
    ...(typeof contextTokens === "number" ? { contextTokens } : {}),
  };
}

function readsOf(entry: JsonObject): ModelInput[] | undefined {
  const named =
    words(field(entry.architecture, "input_modalities")) ??
    words(entry.input_modalities) ??
    words(field(entry.modalities, "input"));
  if (named !== undefined) return inputs(named);
  const can = words(entry.capabilities);
  if (can !== undefined) return inputs(can);
  const sees = [
    field(entry.capabilities, "vision"),
    entry.supports_image_input,
    entry.supports_image_in,
    entry.supports_vision,
  ].find((says) => typeof says === "boolean");
  return typeof sees === "boolean" ? (sees ? ["image"] : []) : undefined;
}

function inputs(named: readonly string[]): ModelInput[] {
  const has = (...any: string[]) => any.some((word) => named.includes(word));
  return [
    ...(has("image", "vision", "multimodal") ? (["image"] as const) : []),
    ...(has("file", "pdf") ? (["pdf"] as const) : []),
    ...(has("audio") ? (["audio"] as const) : []),
  ];
}

function field(of: Json | undefined, name: string): Json | undefined {
  return isJsonObject(of) ? of[name] : undefined;
}

function words(value: Json | undefined): string[] | undefined {
  return Array.isArray(value) ? value.filter((word) => typeof word === "string") : undefined;
}
