import * as z from "zod/mini";
import { isJsonObject, type JsonObject } from "../json.ts";
import { limits } from "../limits.ts";
import { anyId, jsonObject, name, shortId, textOf, wholeNumber } from "./fields.ts";
import type { Endpoints } from "../endpoint.ts";

export const reportStatuses = ["completed", "incomplete", "error"] as const;
export type ReportStatus = (typeof reportStatuses)[number];

export const outcomes = [
  "aborted",
  "disconnected",
  "length",
  "content_filter",
  "rate_limited",
  "validation_failed",
  "provider_error",
  "server_error",
  "budget_denied",
  "persistence_error",
  "timeout",
] as const;
export type Outcome = (typeof outcomes)[number];

/** A field that may be missing. Clients send null for values that JSON lacks (`NaN`); it counts as missing. */
function maybe<Schema extends z.ZodMiniType>(schema: Schema) {
  return z.optional(z.nullable(schema));
}

function listOf<Schema extends z.ZodMiniType>(schema: Schema, max: number) {
  return z.array(schema).check(z.maxLength(max, `must have at most ${max} entries`));
}

const tokens = maybe(wholeNumber(0, 1e8));
const milliseconds = maybe(wholeNumber(0, Number.MAX_SAFE_INTEGER));
const longText = maybe(
  z
    .string()
    .check(
      z.maxLength(limits.reportTextCharacters, `must have at most ${limits.reportTextCharacters} characters`),
    ),
);
const anyObject = jsonObject;

const usage = {
  input_tokens: tokens,
  output_tokens: tokens,
  reasoning_tokens: tokens,
  cached_input_tokens: tokens,
};
const span = { start_ms: milliseconds, end_ms: milliseconds };

const toolCall = z.looseObject({
  tool_name: name,
  tool_call_id: maybe(name),
  tool_args: longText,
  tool_result: longText,
  tool_source: maybe(z.enum(["mcp", "frontend", "backend"], "must be mcp, frontend or backend")),
  ...span,
  sampling_calls: maybe(listOf(anyObject, limits.reportItems)),
});

const step = z.looseObject({
  ...usage,
  ...span,
  tool_calls: maybe(listOf(toolCall, limits.reportItems)),
  finish_reason: maybe(z.string().check(z.maxLength(32, "must have at most 32 characters"))),
  input: longText,
});

/** The known fields of a report. */
export const reportShape = z.object({
  thread_id: anyId,
  status: z.enum(reportStatuses, "must be completed, incomplete or error"),
  message_id: maybe(shortId),
  outcome_type: maybe(z.enum(outcomes, `must be one of ${outcomes.join(", ")}`)),
  error: maybe(textOf(0, 2_048)),
  error_code: maybe(textOf(0, 64)),
  tags: maybe(listOf(textOf(0, 64), 20)),
  environment: maybe(textOf(0, 64)),
  release: maybe(name),
  total_steps: maybe(wholeNumber(0, Number.MAX_SAFE_INTEGER)),
  duration_ms: milliseconds,
  first_token_ms: milliseconds,
  ...usage,
  model_id: maybe(name),
  provider: maybe(name),
  provider_type: maybe(name),
  output_text: longText,
  tool_calls: maybe(listOf(toolCall, limits.reportItems)),
  steps: maybe(listOf(step, limits.reportItems)),
  metadata: maybe(anyObject),
  attributes: maybe(anyObject),
  cost_usd: maybe(z.number().check(z.minimum(0, "must not be negative"))),
  cost_details: maybe(anyObject),
  trace_id: maybe(shortId),
  root_span_id: maybe(shortId),
});
export type RunReportFields = z.infer<typeof reportShape>;

/** A parsed report: the known fields and all other ones. */
export type RunReport = { fields: RunReportFields; others: JsonObject };

/**
 * A report of a run. Unknown fields are kept, because newer clients send more. They keep their object references, so that no
 * key (`__proto__`) is lost.
 */
export const runReport = z.pipe(
  z.custom<JsonObject>(isJsonObject, "must be a JSON object"),
  z.transform((body: JsonObject, context): RunReport => {
    const read = z.safeParse(reportShape, body);
    if (read.success) return { fields: read.data, others: withoutKnown(body) };
    for (const issue of read.error.issues) context.issues.push({ ...issue, input: body } as never);
    return z.NEVER;
  }),
);

function withoutKnown(body: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([key]) => !Object.hasOwn(reportShape.shape, key)));
}

export const runReported = z.object({ run_id: z.string() });

export const reportEndpoints = {
  "runs.report": {
    method: "POST",
    path: "/v1/runs",
    caller: "visitor",
    summary: "Report a run that your application made",
    description:
      "For applications that call a model themselves. Reports with the same `trace_id` belong to the same run; a later one adds its message and tags. Unknown fields are stored as attributes.",
    body: runReport,
    bodyBytesMax: limits.jsonBodyBytes,
    kind: "json",
    status: 201,
    response: runReported,
    errors: ["thread-not-found", "message-not-in-thread", "attributes-too-large"],
    example: {
      body: {
        thread_id: "$THREAD_ID",
        status: "completed",
        model_id: "gpt-4o",
        input_tokens: 120,
        output_tokens: 48,
        duration_ms: 1_400,
      },
    },
  },
} as const satisfies Endpoints;
