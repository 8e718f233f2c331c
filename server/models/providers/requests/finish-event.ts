import type { FinishReason, Usage } from "#contract/run-events.ts";
import type { ModelEvent } from "../../model.ts";
import type { Extras } from "./extras.ts";
import { toRecord } from "./failure.ts";
import type { ChatStreamPart } from "./sdk.ts";

export type FinishEvent = Extract<ModelEvent, { type: "finish" }>;

/**
 * The last event of an answer. `part` is `undefined` if the connection broke after the finish reason. `usage` has the token
 * counts of events that the SDK refused. Throws if the provider ended the answer because of an error that it does not name.
 */
export function finishEvent(
  part: Extract<ChatStreamPart, { type: "finish" }> | undefined,
  extras: Extras,
  { hasToolCalls, usage }: { hasToolCalls: boolean; usage: Usage },
): FinishEvent {
  const cacheWrite = part?.usage.inputTokens.cacheWrite;
  const { unified, raw } =
    isReasonLost(part) && extras.finishReason !== undefined
      ? { unified: "other" as const, raw: extras.finishReason }
      : (part?.finishReason ?? { unified: "other" as const, raw: undefined });
  if (unified === "error" || raw === "error")
    throw new Error(`the provider ended the answer because of an error: ${raw ?? "it does not say which"}`);
  return {
    type: "finish",
    reason: toReason(unified, raw, hasToolCalls),
    usage: extras.usage === undefined ? { ...sdkUsage(part), ...usage } : chatUsage(extras.usage),
    ...(cacheWrite === undefined ? {} : { cacheWriteTokens: cacheWrite }),
  };
}

/** Whether the SDK does not know why the answer ended. It forgets the reason if it refuses an event. */
export function isReasonLost(part: Extract<ChatStreamPart, { type: "finish" }> | undefined): boolean {
  if (part === undefined) return true;
  const { unified, raw } = part.finishReason;
  return raw === undefined && (unified === "error" || unified === "interrupted" || unified === "other");
}

/** Not every server uses OpenAI's finish reasons, and some send `stop` after a tool call. */
function toReason(
  unified: FinishReason | "interrupted",
  raw: string | undefined,
  hasToolCalls: boolean,
): FinishReason {
  const isKnown = unified !== "other" && unified !== "interrupted";
  const reason = isKnown ? unified : (otherReasons[(raw ?? "").toLowerCase()] ?? "other");
  return hasToolCalls && (reason === "stop" || reason === "other") ? "tool-calls" : reason;
}

const otherReasons: Record<string, FinishReason> = {
  stop: "stop",
  eos: "stop",
  eos_token: "stop",
  end_turn: "stop",
  stop_sequence: "stop",
  length: "length",
  max_tokens: "length",
  max_output_tokens: "length",
  model_length: "length",
  tool_calls: "tool-calls",
  tool_use: "tool-calls",
  function_call: "tool-calls",
  content_filter: "content-filter",
  safety: "content-filter",
  refusal: "content-filter",
};

/** The counts that the SDK reports. For chat completions they are in `extras`, and zeros here may mean that none came. */
function sdkUsage(part: Extract<ChatStreamPart, { type: "finish" }> | undefined): Usage {
  if (part === undefined || part.usage.raw === undefined) return {};
  const { inputTokens, outputTokens } = part.usage;
  return withCounts({
    // No request has 0: the SDK says so if the provider does not say.
    input: inputTokens.total || undefined,
    output: outputTokens.total,
    reasoning: outputTokens.reasoning,
    cached: inputTokens.cacheRead,
  });
}

/** Reads the raw counts, because the SDK replaces missing ones by zeros. */
export function chatUsage(raw: unknown): Usage {
  const usage = toRecord(raw);
  const prompt = toRecord(usage.prompt_tokens_details);
  const completion = toRecord(usage.completion_tokens_details);
  return withCounts({
    input: usage.prompt_tokens,
    output: usage.completion_tokens,
    reasoning: completion.reasoning_tokens,
    cached: prompt.cached_tokens,
  });
}

/** Those that are counts. */
export function withCounts(counts: Partial<Record<keyof Usage, unknown>>): Usage {
  return Object.fromEntries(
    Object.entries(counts).filter(([, count]) => Number.isSafeInteger(count) && (count as number) >= 0),
  );
}
