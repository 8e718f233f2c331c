import type { RunReportFields } from "#contract/endpoints/reports.ts";
import { isGeneration, isTool, type SpanRow } from "./otlp/gen-ai.ts";
import type { RunRow } from "#server/runs/rows.ts";

/** A run, calculated from its spans. */
export type SpanSummary = {
  /** The span without a parent among them; the earliest if there are several. */
  root: SpanRow;
  provider: string | null;
  figures: Pick<
    RunRow,
    | "model"
    | "input_tokens"
    | "output_tokens"
    | "reasoning_tokens"
    | "cached_tokens"
    | "started_at"
    | "first_token_at"
    | "ended_at"
  >;
  end: Pick<RunRow, "state" | "finish_reason">;
  outcome: {
    status: "completed" | "incomplete" | "error";
    outcome_type: string | null;
    error_code: string | null;
  };
  details: Pick<RunReportFields, "duration_ms" | "first_token_ms" | "total_steps" | "root_span_id">;
};

/**
 * Summarizes the spans of a trace that have arrived; `undefined` if there are none. The spans of one trace arrive in
 * several exports, the root last, so each export calls this again. An agent's span repeats the sum of its models'
 * tokens, and a model's span may be nested in another span of the same call: tokens are counted once.
 */
export function summarizeSpans(spans: readonly SpanRow[]): SpanSummary | undefined {
  const byId = new Map(spans.map((span) => [span.span_id, span]));
  const root = spans.find((span) => !byId.has(span.parent_span_id ?? "")) ?? spans[0];
  if (root === undefined) return undefined;
  const models = spans.filter((span) => isGeneration(span) && !isBelow(span, byId, isGeneration));
  // A model call inside a tool is not a step of the run, but its tokens count.
  const steps = models.filter((span) => !isBelow(span, byId, isTool));
  const counted = models.length > 0 ? models : [root];
  const [first, last = root] = [steps[0], steps.at(-1)];
  const startedAt = Math.round(Math.min(...spans.map((span) => span.started_ms)));
  const endedAt = Math.round(Math.max(...spans.map((span) => span.ended_ms)));
  const firstTokenAt =
    first === undefined || first.first_token_ms === null
      ? null
      : Math.round(first.started_ms + first.first_token_ms);
  return {
    root,
    provider: last.provider ?? root.provider,
    figures: {
      model: last.model ?? root.model,
      input_tokens: sumOf(counted, "input_tokens"),
      output_tokens: sumOf(counted, "output_tokens"),
      reasoning_tokens: sumOf(counted, "reasoning_tokens"),
      cached_tokens: sumOf(counted, "cached_tokens"),
      started_at: startedAt,
      first_token_at: firstTokenAt,
      ended_at: endedAt,
    },
    ...(root.failed === 1
      ? {
          end: { state: "failed", finish_reason: "error" },
          outcome: { status: "error", outcome_type: "provider_error", error_code: root.error_type },
        }
      : endOf(last.finish_reason)),
    details: {
      duration_ms: endedAt - startedAt,
      first_token_ms: firstTokenAt === null ? null : Math.max(0, firstTokenAt - startedAt),
      total_steps: steps.length,
      root_span_id: root.span_id,
    },
  };
}

/** The end of a run that did not fail, from the finish reason of its last model call. */
function endOf(reason: string | null): Pick<SpanSummary, "end" | "outcome"> {
  switch (reason) {
    case "length":
    case "max_tokens":
      return {
        end: { state: "completed", finish_reason: "length" },
        outcome: { status: "incomplete", outcome_type: "length", error_code: null },
      };
    case "content_filter":
    case "content-filter":
      return {
        end: { state: "completed", finish_reason: "content-filter" },
        outcome: { status: "incomplete", outcome_type: "content_filter", error_code: null },
      };
    default:
      return {
        end: { state: "completed", finish_reason: "stop" },
        outcome: { status: "completed", outcome_type: null, error_code: null },
      };
  }
}

/** Whether an ancestor of this span matches. Stops at a cycle of parents. */
export function isBelow(
  span: SpanRow,
  byId: ReadonlyMap<string, SpanRow>,
  matches: (ancestor: SpanRow) => boolean,
): boolean {
  const seen = new Set([span.span_id]);
  let ancestor = byId.get(span.parent_span_id ?? "");
  while (ancestor !== undefined && !seen.has(ancestor.span_id)) {
    if (matches(ancestor)) return true;
    seen.add(ancestor.span_id);
    ancestor = byId.get(ancestor.parent_span_id ?? "");
  }
  return false;
}

function sumOf(
  spans: readonly SpanRow[],
  name: `${"input" | "output" | "reasoning" | "cached"}_tokens`,
): number | null {
  const counts = spans.map((span) => span[name]).filter((tokens) => tokens !== null);
  return counts.length === 0 ? null : counts.reduce((sum, tokens) => sum + tokens, 0);
}
