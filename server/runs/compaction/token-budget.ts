import type { ModelFacts, ModelSettings } from "#server/models/model.ts";

/** How many tokens a request may have. */
export type TokenBudget = {
  tokens: number;
  /** Whether the context of the model is known. A guess is no reason to leave something out of a request. */
  isKnown: boolean;
};

/** Less than nearly all current models have. */
const unknownContextTokens = 32_768;
/** Room for the answer, unless the assistant has a limit. */
const answerTokens = 8_192;
/** At least this part of the context is for the request. */
const requestPart = 0.75;

/** The model's context without room for the answer. `undefined`: the model has no facts, because it is not a language model. */
export function tokenBudget(
  facts: ModelFacts | undefined,
  { maxOutputTokens = answerTokens }: ModelSettings = {},
): TokenBudget | undefined {
  if (facts === undefined) return undefined;
  const context = facts.contextTokens ?? unknownContextTokens;
  const tokens = Math.floor(Math.max(context - maxOutputTokens, context * requestPart));
  return { tokens, isKnown: facts.contextTokens !== undefined };
}
