import type { ModelPrices } from "#contract/endpoints/models.ts";
import type { Usage } from "#contract/run-events.ts";

/** A million US dollars. The costs of a million such runs still add up to less than a 64-bit integer holds. */
const microsMax = 1e12;

/** Millionths of a US dollar. */
export function toMicros(usd: number): number {
  return Math.min(microsMax, Math.round(usd * 1e6));
}

/** What these tokens cost, in millionths of a US dollar; null if the prices or the tokens are unknown. */
export function costMicros(
  { input, output, cached = 0 }: Usage,
  prices: ModelPrices | undefined,
): number | null {
  if (prices === undefined || (input === undefined && output === undefined)) return null;
  const uncached = Math.max(0, (input ?? 0) - cached);
  const usdPerMillion =
    uncached * prices.input + cached * (prices.cached ?? prices.input) + (output ?? 0) * prices.output;
  return toMicros(usdPerMillion / 1e6);
}
