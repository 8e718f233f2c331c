import { isJsonObject } from "#contract/json.ts";
import type { RunSpan } from "#contract/endpoints/traces.ts";
import { isGeneration, isTool, type SpanRow } from "./otlp/gen-ai.ts";

/** Spans as the project's backend reads them, in order of their start. Times are relative to the first span's start. */
export function presentSpans(spans: readonly SpanRow[]): RunSpan[] {
  const startMs = spans[0]?.started_ms ?? 0;
  return spans.map((span) => {
    const attributes: unknown = JSON.parse(span.attributes);
    return {
      span_id: span.span_id,
      parent_span_id: span.parent_span_id,
      name: span.name,
      operation: span.operation,
      type: isTool(span) ? "tool_call" : isGeneration(span) ? "generation" : null,
      provider: span.provider,
      model_id: span.model,
      tool_name: span.tool_name,
      tool_call_id: span.tool_call_id,
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
