import type { RunReportFields } from "#contract/endpoints/reports.ts";
import { isGeneration, isTool, type SpanRow } from "./otlp/gen-ai.ts";
import type { RunRow } from "#server/runs/rows.ts";

/** A run as its spans tell it. */
export type ToldRun = {
  /** The span that no other of them is above; the earliest, where there are several. */
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
 * Sums up what is there of a trace; undefined where nothing is. Spans of one trace come in several exports, the
 * outermost last, so this is asked anew with each. An agent's span repeats the sum of its models', and a model's may
 * stand in another of the same call: what was used is counted once.
 */
export function runOfSpans(spans: readonly SpanRow[]): ToldRun | undefined {
  const byId = new Map(spans.map((span) => [span.span_id, span]));
  const root = spans.find((span) => !byId.has(span.parent_span_id ?? "")) ?? spans[0];
  if (root === undefined) return undefined;
  const models = spans.filter((span) => isGeneration(span) && !isBelow(span, byId, isGeneration));
  // A model that a tool asked is the tool's affair, and no step of the run; what it used, the run used.
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

/** The end of a run that did not fail, by why its last model ended. */
function endOf(reason: string | null): Pick<ToldRun, "end" | "outcome"> {
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

/** Whether one of those above this span is such; spans that name each other as their parents end the walk. */
function isBelow(
  span: SpanRow,
  byId: ReadonlyMap<string, SpanRow>,
  isSuch: (above: SpanRow) => boolean,
): boolean {
  const seen = new Set([span.span_id]);
  let above = byId.get(span.parent_span_id ?? "");
  while (above !== undefined && !seen.has(above.span_id)) {
    if (isSuch(above)) return true;
    seen.add(above.span_id);
    above = byId.get(above.parent_span_id ?? "");
  }
  return false;
}

function sumOf(
  spans: readonly SpanRow[],
  name: `${"input" | "output" | "reasoning" | "cached"}_tokens`,
): number | null {
  const known = spans.map((span) => span[name]).filter((tokens) => tokens !== null);
  return known.length === 0 ? null : known.reduce((sum, tokens) => sum + tokens, 0);
}
