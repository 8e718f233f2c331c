import type { ModelInfo, ReasoningEffort } from "#contract/endpoints/models.ts";
import type { OfferedModel, OfferedModelFacts } from "#contract/endpoints/providers.ts";
import { limits } from "#contract/limits.ts";
import { t } from "#web/i18n/translate.ts";
import { numberOf, numberText } from "../form/numbers.ts";

/** What the owner enters about a model; empty and `undefined` for the provider's values. */
export type FactsForm = {
  contextTokens: string;
  outputTokens: string;
  inputPrice: string;
  outputPrice: string;
  cachedPrice: string;
  reads: ModelInfo["reads"] | undefined;
  tools: boolean | undefined;
  efforts: ReasoningEffort[] | undefined;
};

/** A model that the provider offers, as the owner edits it. */
export type ModelForm = { id: string; name: string; facts: FactsForm };

export const noFacts: FactsForm = {
  contextTokens: "",
  outputTokens: "",
  inputPrice: "",
  outputPrice: "",
  cachedPrice: "",
  reads: undefined,
  tools: undefined,
  efforts: undefined,
};

export function modelFormOf({ id, name, facts = {} }: OfferedModel): ModelForm {
  const { context_tokens: contextTokens, output_tokens: outputTokens, prices, reads, tools, efforts } = facts;
  return {
    id,
    name,
    facts: {
      contextTokens: numberText(contextTokens),
      outputTokens: numberText(outputTokens),
      inputPrice: numberText(prices?.input),
      outputPrice: numberText(prices?.output),
      cachedPrice: numberText(prices?.cached ?? undefined),
      reads,
      tools,
      efforts,
    },
  };
}

export function offeredModelOf({ id, name, facts }: ModelForm): OfferedModel {
  const body = factsBodyOf(facts);
  return { id, name: name.trim(), ...(Object.keys(body).length === 0 ? {} : { facts: body }) };
}

function factsBodyOf(form: FactsForm): OfferedModelFacts {
  const [contextTokens, outputTokens] = [numberOf(form.contextTokens), numberOf(form.outputTokens)];
  const [input, output] = [numberOf(form.inputPrice), numberOf(form.outputPrice)];
  const cached = numberOf(form.cachedPrice);
  const { reads, tools, efforts } = form;
  return {
    ...(contextTokens === undefined ? {} : { context_tokens: contextTokens }),
    ...(outputTokens === undefined ? {} : { output_tokens: outputTokens }),
    ...(input === undefined || output === undefined
      ? {}
      : { prices: { input, output, ...(cached === undefined ? {} : { cached }) } }),
    ...(reads === undefined ? {} : { reads }),
    ...(tools === undefined ? {} : { tools }),
    ...(efforts === undefined ? {} : { efforts }),
  };
}

/** What is wrong with the facts, in the page's language. */
export function factsMistake(form: FactsForm): string | undefined {
  const counts = [form.contextTokens, form.outputTokens].map(numberOf);
  if (counts.some((count) => count !== undefined && !isTokenCount(count)))
    return t("assistant.noWholeNumber", { max: limits.modelTokensMax });
  const [input, output, cached] = [form.inputPrice, form.outputPrice, form.cachedPrice].map(numberOf);
  const isPrice = (price = 0) => price >= 0 && price <= limits.modelPriceMax;
  if (![input, output, cached].every(isPrice)) return t("facts.priceWrong", { max: limits.modelPriceMax });
  const hasSome = [input, output, cached].some((price) => price !== undefined);
  if (hasSome && (input === undefined || output === undefined)) return t("facts.priceMissing");
  return cached !== undefined && cached > input! ? t("facts.cachedWrong") : undefined;
}

function isTokenCount(count: number): boolean {
  return Number.isInteger(count) && count >= 1 && count <= limits.modelTokensMax;
}
