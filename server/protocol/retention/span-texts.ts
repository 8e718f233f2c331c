import type { JsonObject } from "#contract/json.ts";
import type { RunReportFields } from "#contract/endpoints/reports.ts";
import type { Tx } from "#storage/database/database.ts";
import { findRetention, rulesAt } from "#server/apps/retention-rules.ts";
import { dayMs } from "./app-retention.ts";

/** Whether the texts of the spans of a run are too old to be stored. */
export async function areTextsDue(
  tx: Tx,
  { app_id: appId, created_at: createdAt }: { app_id: string; created_at: number },
  nowMs: number,
): Promise<boolean> {
  const { keep_span_texts_days: days } = rulesAt(await findRetention(tx.q, appId), nowMs);
  return days !== null && createdAt <= nowMs - days * dayMs;
}

/** The attributes of OpenTelemetry's conventions, of the AI SDK and of OpenInference that have texts of people and models. */
const textAttribute =
  /^(?:gen_ai\.(?:input|output|prompt|completion|system_instructions|tool)|ai\.(?:prompt|response|toolCall)|input|output|llm)\b/;

export function withoutTextAttributes(attributes: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => !textAttribute.test(name)));
}

type Details = Partial<RunReportFields>;
type ToolCall = NonNullable<Details["tool_calls"]>[number];

/** A report without what went into its steps and tools and what came out, and without fields that no version knows. */
export function withoutStepTexts<D extends Details>({
  output_text: _,
  ...report
}: D): Omit<D, "output_text"> {
  const { steps, tool_calls: calls } = report;
  return {
    ...report,
    ...(steps && {
      steps: steps.map((step) => ({
        ...withFields(step, measuredFields),
        ...(step.tool_calls && { tool_calls: step.tool_calls.map(withoutCallTexts) }),
      })),
    }),
    ...(calls && { tool_calls: calls.map(withoutCallTexts) }),
  };
}

const measuredFields = [
  "start_ms",
  "end_ms",
  "finish_reason",
  "input_tokens",
  "output_tokens",
  "reasoning_tokens",
  "cached_input_tokens",
];
const callFields = ["start_ms", "end_ms", "tool_call_id", "tool_source"];

function withoutCallTexts(call: ToolCall): ToolCall {
  return { ...withFields(call, callFields), tool_name: call.tool_name };
}

function withFields<T extends object>(from: T, names: readonly string[]): Partial<T> {
  return Object.fromEntries(Object.entries(from).filter(([name]) => names.includes(name))) as Partial<T>;
}
