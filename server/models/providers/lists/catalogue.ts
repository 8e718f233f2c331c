import { calcPrice } from "@pydantic/genai-prices";
import type { ListedFacts } from "./listed-facts.ts";

/** What the catalogue in the package says about a model of the provider at this URL. Makes no request. */
export function catalogueFacts(baseUrl: string, modelId: string): ListedFacts {
  const priceOf = (tokens: { input_tokens: number; output_tokens: number; cache_read_tokens?: number }) => {
    const price = calcPrice(tokens, modelId, { providerApiUrl: baseUrl });
    // Per million tokens, in millionths of a dollar, without the errors of binary fractions.
    return price === null ? undefined : { price, perMillion: Math.round(price.total_price * 1e9) / 1e6 };
  };
  try {
    const input = priceOf({ input_tokens: 1000, output_tokens: 0 });
    const output = priceOf({ input_tokens: 0, output_tokens: 1000 });
    if (input === undefined || output === undefined) return {};
    const cached = priceOf({ input_tokens: 1000, output_tokens: 0, cache_read_tokens: 1000 });
    const contextTokens = input.price.model.context_window;
    return {
      ...(contextTokens === undefined ? {} : { contextTokens }),
      prices: {
        input: input.perMillion,
        output: output.perMillion,
        cached: cached?.perMillion ?? null,
      },
    };
  } catch {
    // The package refuses models that are not sold by the token.
    return {};
  }
}
