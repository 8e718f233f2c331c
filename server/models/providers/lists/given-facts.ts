import type { OfferedModel } from "#contract/endpoints/providers.ts";
import type { ListedFacts } from "./listed-facts.ts";

/** What administrators entered about an offered model. */
export function givenFacts(model: OfferedModel | undefined): ListedFacts {
  const { context_tokens: contextTokens, output_tokens: outputTokens, ...rest } = model?.facts ?? {};
  const { prices, reads, tools, efforts } = rest;
  return {
    ...(contextTokens === undefined ? {} : { contextTokens }),
    ...(outputTokens === undefined ? {} : { outputTokens }),
    ...(prices === undefined ? {} : { prices: { ...prices, cached: prices.cached ?? null } }),
    ...(reads === undefined ? {} : { reads }),
    ...(tools === undefined ? {} : { tools }),
    ...(efforts === undefined ? {} : { efforts }),
  };
}
