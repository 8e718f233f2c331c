import { isJsonObject, type Json, type JsonObject } from "#contract/json.ts";
import type { ModelInput } from "#contract/endpoints/models.ts";

/** What a provider's list says about a model. A field is absent if the list does not say it. */
export type ListedFacts = { reads?: ModelInput[]; contextTokens?: number };

/**
 * Reads an entry of a list of models. Only the model's id is standard. The other fields are those of OpenRouter, Mistral,
 * vLLM, llama.cpp, Groq, Fireworks, Moonshot, and of Ollama's `/api/show`.
 */
export function listedFacts(entry: JsonObject): ListedFacts {
  const reads = readInputs(entry);
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

function readInputs(entry: JsonObject): ModelInput[] | undefined {
  const names =
    strings(field(entry.architecture, "input_modalities")) ??
    strings(entry.input_modalities) ??
    strings(field(entry.modalities, "input")) ??
    strings(entry.capabilities);
  if (names !== undefined) return toInputs(names);
  const hasVision = [
    field(entry.capabilities, "vision"),
    entry.supports_image_input,
    entry.supports_image_in,
    entry.supports_vision,
  ].find((value) => typeof value === "boolean");
  return typeof hasVision === "boolean" ? (hasVision ? ["image"] : []) : undefined;
}

function toInputs(names: readonly string[]): ModelInput[] {
  const has = (...synonyms: string[]) => synonyms.some((name) => names.includes(name));
  return [
    ...(has("image", "vision", "multimodal") ? (["image"] as const) : []),
    ...(has("file", "pdf") ? (["pdf"] as const) : []),
    ...(has("audio") ? (["audio"] as const) : []),
  ];
}

function field(value: Json | undefined, name: string): Json | undefined {
  return isJsonObject(value) ? value[name] : undefined;
}

function strings(value: Json | undefined): string[] | undefined {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : undefined;
}
