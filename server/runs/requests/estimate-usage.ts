import type { ModelPrices } from "#contract/endpoints/models.ts";
import type { Usage } from "#contract/run-events.ts";
import type { Estimate } from "#server/people/budgets/budgets.ts";
import { costMicros } from "#server/models/cost.ts";
import type { RequestItem } from "#server/models/request-items.ts";
import { estimateTokens } from "#server/models/tokens/estimate-tokens.ts";
import { pictureTokens } from "../compaction/measure.ts";

/** Of a body whose items are not known, and of what is asked. */
const bytesPerToken = 4;
/** The output that is reserved for an answer, because nobody knows its length (`docs/decisions/0031-budgets.md`). */
export const answerTokens = 4_000;

/** About how many tokens a value has as JSON. */
export function tokensOfJson(value: unknown): number {
  return Math.ceil((JSON.stringify(value) ?? "").length / bytesPerToken);
}

/** What to reserve for an answer to so much input. */
export function estimateAnswer(input: number, prices: ModelPrices | undefined): Estimate {
  const usage = { input, output: answerTokens };
  return { tokens: input + answerTokens, costMicros: costMicros(usage, prices) ?? 0 };
}

/**
 * About how many tokens a request took whose provider did not report them, because it was stopped or broke off or because
 * the provider never does: those of what was sent and of the text that arrived.
 */
export function estimateUsage(
  { items, bodyBytes }: { items: readonly RequestItem[]; bodyBytes: number },
  output: string,
): Usage {
  const input =
    items.length === 0
      ? Math.ceil(bodyBytes / bytesPerToken)
      : items.reduce((sum, item) => sum + tokensOf(item), 0);
  return { input, output: estimateTokens(output) };
}

function tokensOf({ leftOut, tokens }: RequestItem): number {
  return leftOut === "tools-refused" ? 0 : (tokens ?? pictureTokens);
}
