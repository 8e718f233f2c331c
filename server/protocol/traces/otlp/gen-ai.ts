import type { Json, JsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { cleanText, cutText } from "#contract/text.ts";
import type { Row } from "#storage/database/tables.ts";
import type { OtlpSpan } from "./spans.ts";

/**
 * Reads spans of models and tools into rows of a run. Supports OpenTelemetry's conventions for generative AI
 * (`gen_ai.*`), and the attributes of AI SDK versions before it followed them (`ai.*`).
 */

export type SpanRow = Row<"run_spans">;

const generations = ["chat", "generate_content", "text_completion", "embeddings"];

/** The attributes that have their own column. The first that exists is used. */
const attributeNames = {
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

const mappedNames = new Set(["gen_ai.operation.name", ...Object.values(attributeNames).flat()]);

export function isGeneration({ operation }: Pick<SpanRow, "operation">): boolean {
  return generations.includes(operation ?? "");
}

/** The span of a whole agent. */
export function isAgent({ operation }: Pick<SpanRow, "operation">): boolean {
  return operation === "invoke_agent" || operation === "create_agent";
}

export function isTool({ operation }: Pick<SpanRow, "operation">): boolean {
  return operation === "execute_tool";
}

/** A span's operation, from its attribute or its name. `undefined` for spans that are not of generative AI. */
export function operationOf({ name, attributes }: OtlpSpan): string | undefined {
  const operation = textOf(attributes, ["gen_ai.operation.name"], 64);
  if (operation !== null) return operation;
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
    provider: text(attributeNames.provider),
    model: text(attributeNames.model),
    tool_name: ofTool ? (text(attributeNames.toolName) ?? name) : null,
    tool_call_id: text(attributeNames.toolCallId),
    error_type: textOf(attributes, attributeNames.errorType, 64),
    failed: span.failed ? 1 : 0,
    finish_reason: finishReasonOf(firstOf(attributes, attributeNames.finishReason)),
    started_ms: span.startedMs,
    ended_ms: span.endedMs,
    first_token_ms: firstTokenMsOf(span),
    input_tokens: tokens(attributeNames.inputTokens),
    output_tokens: tokens(attributeNames.outputTokens),
    reasoning_tokens: tokens(attributeNames.reasoningTokens),
    cached_tokens: tokens(attributeNames.cachedTokens),
    input: contentOf(firstOf(attributes, ofTool ? attributeNames.toolInput : attributeNames.input)),
    output: contentOf(firstOf(attributes, ofTool ? attributeNames.toolOutput : attributeNames.output)),
    attributes: JSON.stringify(truncateAttributes(unmapped(attributes))),
  };
}

/** The first of these attributes that is a non-empty string. */
export function textOf(attributes: JsonObject, from: string[], max: number): string | null {
  const found = from
    .map((name) => own(attributes, name))
    .find((value) => typeof value === "string" && value !== "");
  return typeof found === "string" ? cutText(cleanText(found), max) : null;
}

/** The attributes that have no column of their own. */
export function unmapped(attributes: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => !mappedNames.has(name)));
}

/** Drops the largest attributes until the rest fits the limit of a run, and then adds `truncated: true`. */
export function truncateAttributes(attributes: JsonObject): JsonObject {
  const entries = Object.entries(attributes).map(
    ([name, value]) => [name, value, Buffer.byteLength(JSON.stringify([name, value]))] as const,
  );
  const bySize = entries.toSorted(([, , a], [, , b]) => a - b);
  let bytes = bySize.reduce((sum, [, , size]) => sum + size, 0);
  if (bytes <= limits.reportAttributesBytes) return attributes;
  while (bytes > limits.reportAttributesBytes) bytes -= bySize.pop()![2];
  const kept = new Set(bySize.map(([name]) => name));
  return {
    ...Object.fromEntries(Object.entries(attributes).filter(([name]) => kept.has(name))),
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

/** OpenTelemetry counts in seconds, the AI SDK in milliseconds. Limited to the duration of the span. */
function firstTokenMsOf({ attributes, startedMs, endedMs }: OtlpSpan): number | null {
  const seconds = own(attributes, "gen_ai.response.time_to_first_chunk");
  const ms = typeof seconds === "number" ? seconds * 1_000 : own(attributes, "ai.response.msToFirstChunk");
  return typeof ms === "number" ? Math.min(endedMs - startedMs, Math.max(0, ms)) : null;
}

function tokensOf(value: Json | undefined): number | null {
  return typeof value === "number" ? Math.min(1e8, Math.max(0, Math.round(value))) : null;
}

function contentOf(value: Json | undefined): string | null {
  if (value === undefined) return null;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return cutText(cleanText(text), limits.reportTextCharacters);
}
