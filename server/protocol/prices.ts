import { calcPrice } from "@pydantic/genai-prices";
import { toMicros } from "#server/models/cost.ts";

export type PricedUsage = {
  provider: string | null;
  model: string | null;
  input: number | null;
  output: number | null;
  cached: number | null;
  atMs: number;
};

/**
 * The cost in millionths of a US dollar by the list prices in the package, which are as old as this version of the
 * server; `null` for a model that is not listed. Makes no request.
 */
export function listedCostMicros({
  provider,
  model,
  input,
  output,
  cached,
  atMs,
}: PricedUsage): number | null {
  if (model === null || (input === null && output === null)) return null;
  try {
    const price = calcPrice(
      {
        input_tokens: Math.max(input ?? 0, cached ?? 0),
        output_tokens: output ?? 0,
        cache_read_tokens: cached ?? 0,
      },
      model,
      // The AI SDK names providers as openai.chat or google.generative-ai.
      { timestamp: new Date(atMs), ...(provider === null ? {} : { providerId: provider.split(".")[0]! }) },
    );
    return price === null ? null : toMicros(price.total_price);
  } catch {
    // The package refuses usage that a provider's prices cannot express.
    return null;
  }
}
