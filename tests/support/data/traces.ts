import { randomBytes } from "node:crypto";
import type { Json, JsonObject } from "#contract/json.ts";

/** A span for an OTLP export in JSON. */
export type TestSpan = {
  traceId: string;
  spanId?: string;
  parentSpanId?: string;
  name?: string;
  /** From the start of the trace. */
  startMs?: number;
  endMs?: number;
  failed?: boolean;
  attributes?: Record<string, Json>;
};

/** The start time of every trace. */
const startMs = Date.UTC(2026, 0, 31, 12);

export const newTraceId = (): string => randomBytes(16).toString("hex");
export const newSpanId = (): string => randomBytes(8).toString("hex");

export function exportOf(spans: readonly TestSpan[], resource: Record<string, Json> = {}): JsonObject {
  return {
    resourceSpans: [
      { resource: { attributes: attributesOf(resource) }, scopeSpans: [{ spans: spans.map(spanOf) }] },
    ],
  };
}

/** A trace of one answer in this thread. */
export function chatTrace(threadId: string): JsonObject {
  const attributes = { "gen_ai.operation.name": "chat", "gen_ai.conversation.id": threadId };
  return exportOf([{ traceId: newTraceId(), attributes }]);
}

function spanOf(span: TestSpan): JsonObject {
  return {
    traceId: span.traceId,
    spanId: span.spanId ?? newSpanId(),
    ...(span.parentSpanId === undefined ? {} : { parentSpanId: span.parentSpanId }),
    name: span.name ?? "chat model-1",
    startTimeUnixNano: nanosecondsOf(span.startMs ?? 0),
    endTimeUnixNano: nanosecondsOf(span.endMs ?? 1_000),
    attributes: attributesOf(span.attributes ?? {}),
    ...(span.failed === true ? { status: { code: 2 } } : {}),
  };
}

function nanosecondsOf(ms: number): string {
  return `${startMs + ms}000000`;
}

function attributesOf(attributes: Record<string, Json>): JsonObject[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: valueOf(value) }));
}

function valueOf(value: Json): JsonObject {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number")
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(valueOf) } };
  return value === null ? {} : { kvlistValue: { values: attributesOf(value) } };
}
