import type { Usage } from "#contract/run-events.ts";

export function usageColumns(usage: Usage) {
  return {
    input_tokens: usage.input ?? null,
    output_tokens: usage.output ?? null,
    reasoning_tokens: usage.reasoning ?? null,
    cached_tokens: usage.cached ?? null,
  };
}
