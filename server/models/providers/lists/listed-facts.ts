import { isJsonObject, type Json, type JsonObject } from "#contract/json.ts";
import type { Prefill } from "../../model.ts";
import type { ModelInput, ModelPrices } from "#contract/endpoints/models.ts";
import { reasoningEfforts, type ReasoningEffort } from "#contract/provider-kinds.ts";

/** The facts about a model in a provider's list. A field is absent if the list lacks it. */
export type ListedFacts = {
  reads?: ModelInput[];
  tools?: boolean;
  contextTokens?: number;
  outputTokens?: number;
  efforts?: ReasoningEffort[];
  prices?: ModelPrices;
  /** The server passes requests on to another host. */
  isRelayed?: true;
  prefill?: Prefill;
};

/** By `owned_by` in the list, which is the name of the server's software. */
const prefills: Record<string, Prefill> = {
  llamacpp: "last-message",
  vllm: "parameter",
  sglang: "parameter",
};

/**
 * Reads an entry of a list of models. Only the model's id is standard. The other fields come from OpenRouter, Mistral,
 * vLLM, llama.cpp, Groq, Fireworks, Moonshot, and of Ollama's `/api/show`.
 */
export function listedFacts(entry: JsonObject): ListedFacts {
  const reads = readInputs(entry);
  const tools = readTools(entry);
  const contextTokens = firstCount(
    entry.context_length,
    entry.max_model_len,
    entry.context_window,
    entry.max_context_length,
    field(entry.meta, "n_ctx"),
  );
  const outputTokens = firstCount(
    field(entry.top_provider, "max_completion_tokens"),
    entry.max_completion_tokens,
    entry.max_output_tokens,
  );
  const prices = readPrices(entry.pricing);
  // OpenRouter and Ollama.
  const hasReasoning =
    strings(entry.supported_parameters)?.includes("reasoning") ??
    strings(entry.capabilities)?.includes("thinking") ??
    false;
  const prefill = typeof entry.owned_by === "string" ? prefills[entry.owned_by] : undefined;
  return {
    ...(reads === undefined ? {} : { reads }),
    ...(tools === undefined ? {} : { tools }),
    ...(contextTokens === undefined ? {} : { contextTokens }),
    ...(outputTokens === undefined ? {} : { outputTokens }),
    ...(hasReasoning ? { efforts: [...reasoningEfforts] } : {}),
    ...(prices === undefined ? {} : { prices }),
    ...(prefill === undefined ? {} : { prefill }),
  };
}

/** OpenRouter and Ollama list what a model can do. Mistral, Fireworks and Moonshot have a field for each ability. */
function readTools(entry: JsonObject): boolean | undefined {
  const parameters = strings(entry.supported_parameters);
  if (parameters !== undefined) return parameters.includes("tools");
  const capabilities = strings(entry.capabilities);
  // Other servers may list only some capabilities.
  if (capabilities?.includes("tools") === true || capabilities?.includes("completion") === true)
    return capabilities.includes("tools");
  return [
    field(entry.capabilities, "function_calling"),
    entry.supports_tools,
    entry.supports_function_calling,
  ].find((value) => typeof value === "boolean");
}

function firstCount(...values: (Json | undefined)[]): number | undefined {
  return values.find((value) => typeof value === "number" && value > 0) as number | undefined;
}

/** OpenRouter's prices: dollars per token, as text. -1 stands for a price that varies. */
function readPrices(pricing: Json | undefined): ModelPrices | undefined {
  const perMillion = (name: string): number | undefined => {
    const value = field(pricing, name);
    const price = typeof value === "string" ? Number(value) : NaN;
    return price >= 0 && price < 1 ? Math.round(price * 1e12) / 1e6 : undefined;
  };
  const [input, output] = [perMillion("prompt"), perMillion("completion")];
  if (input === undefined || output === undefined) return undefined;
  return { input, output, cached: perMillion("input_cache_read") ?? null };
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
