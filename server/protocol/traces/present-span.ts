import { isJsonObject } from "#contract/json.ts";
import type { RunSpan } from "#contract/endpoints/traces.ts";
import { isAgent, isGeneration, isTool, type SpanRow } from "./otlp/gen-ai.ts";
import { isBelow } from "./summarize-spans.ts";

/**
 * Spans as the app's backend reads them, in order of their start. Times are relative to the first span's start. The
 * agent's span at the root is left out, because it is the run itself.
 */
export function presentSpans(spans: readonly SpanRow[]): RunSpan[] {
  const startMs = spans[0]?.started_ms ?? 0;
  const byId = new Map(spans.map((span) => [span.span_id, span]));
  const stepTypeOf = createStepTypes(byId);
  const steps = spans.filter((span) => !isAgent(span) || byId.has(span.parent_span_id ?? ""));
  return steps.map((span) => {
    const attributes: unknown = JSON.parse(span.attributes);
    return {
      span_id: span.span_id,
      parent_span_id: span.parent_span_id,
      name: span.name,
      operation: span.operation,
      type: isTool(span) ? "tool_call" : isGeneration(span) ? "generation" : null,
      step_type: stepTypeOf(span),
      provider: span.provider,
      model_id: span.model,
      tool_name: span.tool_name,
      tool_call_id: span.tool_call_id,
      tool_source: null,
      status: span.failed === 1 ? "error" : "ok",
      error_type: span.error_type,
      finish_reason: span.finish_reason,
      start_ms: span.started_ms - startMs,
      end_ms: span.ended_ms - startMs,
      input_tokens: span.input_tokens,
      cached_input_tokens: span.cached_tokens,
      output_tokens: span.output_tokens,
      reasoning_tokens: span.reasoning_tokens,
      input: span.input,
      output: span.output,
      attributes: isJsonObject(attributes) ? attributes : {},
    };
  });
}

/** The type of each step, asked in order of their start. */
function createStepTypes(byId: ReadonlyMap<string, SpanRow>): (span: SpanRow) => RunSpan["step_type"] {
  let hasStep = false;
  let hasToolSinceStep = false;
  return (span) => {
    if (isTool(span)) hasToolSinceStep = true;
    if (!isGeneration(span)) return null;
    if (isBelow(span, byId, isTool)) return "sampling";
    const type = !hasStep ? "initial" : hasToolSinceStep ? "tool-result" : "continue";
    hasStep = true;
    hasToolSinceStep = false;
    return type;
  };
}
