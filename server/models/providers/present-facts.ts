import type { ModelInfo } from "#contract/endpoints/models.ts";
import type { ModelFacts, ModelName } from "../model.ts";

/** What is known about a model, as clients read it. */
export function presentFacts(facts: ModelFacts): Omit<ModelInfo, keyof ModelName | "is_local"> {
  return {
    reads: [...facts.reads],
    efforts: [...(facts.efforts ?? [])],
    tools: facts.tools ?? null,
    context_tokens: facts.contextTokens ?? null,
    output_tokens: facts.outputTokens ?? null,
    prices: facts.prices ?? null,
  };
}
