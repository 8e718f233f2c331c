import type { Json, JsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { cleanText, cutText } from "#contract/text.ts";
import type { Row } from "#storage/database/tables.ts";
import type { OtlpSpan } from "./spans.ts";

/**
 * What the spans of models and tools say, as rows of a run: by OpenTelemetry's conventions for generative AI
 * (`gen_ai.*`), and as the AI SDK told it before it followed them (`ai.*`).
 */

export type SpanRow = Row<"run_spans">;

const generations = ["chat", "generate_content", "text_completion", "embeddings"];

/** The attributes that have a column of their own; the first that is there counts. */
const names = {
  provider: ["gen_ai.provider.name", "gen_ai.system", "ai.model.provider"],
  model: ["gen_ai.response.model", "gen_ai.request.model", "ai.response.model", "ai.model.id"],
  toolName: ["gen_ai.tool.name", "ai.toolCall.name"],
  toolCallId: ["gen_ai.tool.call.id", "ai.toolCall.id"],
  toolInput: ["gen_ai.tool.call.arguments", "ai.toolCall.args"],
  toolOutput: ["gen_ai.tool.call.result", "ai.toolCall.result"],
  input: ["gen_ai.input.messages", "ai.prompt.messages", "ai.prompt"],
  output: ["gen_ai.output.messages", "ai.response.text"],
  finishReason: ["gen_ai.response.finish_reasons", "ai.response.finishReason"],
  inputTokens: ["gen_ai.usage.input_tokens", "ai.usage.inputTokens", "ai.usage.promptTokens"],
  outputTokens: ["gen_ai.usage.output_tokens", "ai.usage.outputTokens", "ai.usage.completionTokens"],
  reasoningTokens: ["gen_ai.usage.reasoning.output_tokens", "ai.usage.reasoningTokens"],
  cachedTokens: ["gen_ai.usage.cache_read.input_tokens", "ai.usage.cachedInputTokens"],
  errorType: ["error.type"],
};

const told = new Set(["gen_ai.operation.name", ...Object.values(names).flat()]);

export function isGeneration({ operation }: Pick<SpanRow, "operation">): boolean {
  return generations.includes(operation ?? "");
}

export function isTool({ operation }: Pick<SpanRow, "operation">): boolean {
  return operation === "execute_tool";
}

/** The operation that a span is, by its attribute or its name. Undefined for spans of other things. */
export function operationOf({ name, attributes }: OtlpSpan): string | undefined {
  const asked = textOf(attributes, ["gen_ai.operation.name"], 64);
  if (asked !== null) return asked;
  if (/^ai\.\w+\.do(Generate|Stream)$/.test(name)) return "chat";
  if (/^ai\.\w+\.doEmbed$/.test(name)) return "embeddings";
  if (name === "ai.toolCall") return "execute_tool";
  return /^(gen_ai|ai|llm)\./.test(name) ? "invoke_agent" : undefined;
}

export function spanRow(span: OtlpSpan, operation: string, runId: string): SpanRow {
  const { attributes } = span;
  const text = (from: string[]) => textOf(attributes, from, limits.nameCharacters);
  const tokens = (from: string[]) => tokensOf(firstOf(attributes, from));
  const ofTool = isTool({ operation });
  const name = cutText(cleanText(span.name), limits.nameCharacters);
  return {
    run_id: runId,
    span_id: span.spanId,
    parent_span_id: span.parentSpanId,
    name,
    operation,
    provider: text(names.provider),
    model: text(names.model),
    tool_name: ofTool ? (text(names.toolName) ?? name) : null,
    tool_call_id: text(names.toolCallId),
    error_type: textOf(attributes, names.errorType, 64),
    failed: span.failed ? 1 : 0,
    finish_reason: finishReasonOf(firstOf(attributes, names.finishReason)),
    started_ms: span.startedMs,
    ended_ms: span.endedMs,
    first_token_ms: firstTokenMsOf(span),
    input_tokens: tokens(names.inputTokens),
    output_tokens: tokens(names.outputTokens),
    reasoning_tokens: tokens(names.reasoningTokens),
    cached_tokens: tokens(names.cachedTokens),
    input: wordsOf(firstOf(attributes, ofTool ? names.toolInput : names.input)),
    output: wordsOf(firstOf(attributes, ofTool ? names.toolOutput : names.output)),
    attributes: JSON.stringify(fitting(untold(attributes))),
  };
}

/** The first of these attributes that is a text. */
export function textOf(attributes: JsonObject, from: string[], max: number): string | null {
  const found = from
    .map((name) => own(attributes, name))
    .find((value) => typeof value === "string" && value !== "");
  return typeof found === "string" ? cutText(cleanText(found), max) : null;
}

/** What has no field of its own. */
export function untold(attributes: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => !told.has(name)));
}

/** As much as is kept with a run: the largest go first, and it is said that they did. */
export function fitting(attributes: JsonObject): JsonObject {
  const entries = Object.entries(attributes).map(
    ([name, value]) => [name, value, Buffer.byteLength(JSON.stringify([name, value]))] as const,
  );
  const kept = entries.toSorted(([, , a], [, , b]) => a - b);
  let bytes = kept.reduce((sum, [, , size]) => sum + size, 0);
  if (bytes <= limits.reportAttributesBytes) return attributes;
  while (bytes > limits.reportAttributesBytes) bytes -= kept.pop()![2];
  const left = new Set(kept.map(([name]) => name));
  return {
    ...Object.fromEntries(Object.entries(attributes).filter(([name]) => left.has(name))),
    truncated: true,
  };
}

function firstOf(attributes: JsonObject, from: string[]): Json | undefined {
  return from.map((name) => own(attributes, name)).find((value) => value !== undefined && value !== null);
}

function own(attributes: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(attributes, name) ? attributes[name] : undefined;
}

function finishReasonOf(reasons: Json | undefined): string | null {
  const reason = Array.isArray(reasons) ? reasons[0] : reasons;
  return typeof reason === "string" ? cutText(cleanText(reason), 32) : null;
}

/** The conventions count in seconds, the AI SDK in milliseconds. No answer begins after its span has ended. */
function firstTokenMsOf({ attributes, startedMs, endedMs }: OtlpSpan): number | null {
  const seconds = own(attributes, "gen_ai.response.time_to_first_chunk");
  const ms = typeof seconds === "number" ? seconds * 1_000 : own(attributes, "ai.response.msToFirstChunk");
  return typeof ms === "number" ? Math.min(endedMs - startedMs, Math.max(0, ms)) : null;
}

function tokensOf(value: Json | undefined): number | null {
  return typeof value === "number" ? Math.min(1e8, Math.max(0, Math.round(value))) : null;
}

function wordsOf(value: Json | undefined): string | null {
  if (value === undefined) return null;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return cutText(cleanText(text), limits.reportTextCharacters);
}
