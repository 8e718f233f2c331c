import type { Usage } from "#contract/run-events.ts";
import type { RequestItem } from "#server/models/request-items.ts";
import { estimateTokens } from "#server/models/tokens/estimate-tokens.ts";
import { pictureTokens } from "../compaction/measure.ts";

/** Of a body whose items are not known. */
const bytesPerToken = 4;

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
