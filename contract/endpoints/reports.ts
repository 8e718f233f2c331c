import * as z from "zod/mini";
import { isJsonObject, type JsonObject } from "../json.ts";
import { limits } from "../limits.ts";
import { anyId, jsonObject, name, shortId, textOf, wholeNumber } from "./fields.ts";
import { endpoints } from "./endpoints.ts";

export const reportStatuses = ["completed", "incomplete", "error"] as const;

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

/** A field that may be missing. Clients send null for values that JSON lacks (`NaN`); it counts as missing. */
function nullish<Schema extends z.ZodMiniType>(schema: Schema) {
  return z.optional(z.nullable(schema));
}

function listOf<Schema extends z.ZodMiniType>(schema: Schema, max: number) {
  return z.array(schema).check(z.maxLength(max, `must have at most ${max} entries`));
}

const tokens = nullish(wholeNumber(0, 1e8));
const milliseconds = nullish(wholeNumber(0, Number.MAX_SAFE_INTEGER));
const longText = nullish(
  z
    .string()
    .check(
      z.maxLength(limits.reportTextCharacters, `must have at most ${limits.reportTextCharacters} characters`),
    ),
);

const usage = {
  input_tokens: tokens,
  output_tokens: tokens,
  reasoning_tokens: tokens,
  cached_input_tokens: tokens,
};
const span = { start_ms: milliseconds, end_ms: milliseconds };

const toolCall = z.looseObject({
  tool_name: name,
  tool_call_id: nullish(name),
  tool_args: longText,
  tool_result: longText,
  tool_source: nullish(z.enum(["mcp", "frontend", "backend"], "must be mcp, frontend or backend")),
  ...span,
  sampling_calls: nullish(listOf(jsonObject, limits.reportItems)),
});

const step = z.looseObject({
  ...usage,
  ...span,
  tool_calls: nullish(listOf(toolCall, limits.reportItems)),
  finish_reason: nullish(z.string().check(z.maxLength(32, "must have at most 32 characters"))),
  input: longText,
});

/** The known fields of a report. */
export const reportShape = z.object({
  thread_id: anyId,
  status: z.enum(reportStatuses, "must be completed, incomplete or error"),
  message_id: nullish(shortId),
  outcome_type: nullish(z.enum(outcomes, `must be one of ${outcomes.join(", ")}`)),
  error: nullish(textOf(0, 2_048)),
  error_code: nullish(textOf(0, 64)),
  tags: nullish(listOf(textOf(0, 64), 20)),
  environment: nullish(textOf(0, 64)),
  release: nullish(name),
  total_steps: nullish(wholeNumber(0, Number.MAX_SAFE_INTEGER)),
  duration_ms: milliseconds,
  first_token_ms: milliseconds,
  ...usage,
  model_id: nullish(name),
  provider: nullish(name),
  provider_type: nullish(name),
  output_text: longText,
  tool_calls: nullish(listOf(toolCall, limits.reportItems)),
  steps: nullish(listOf(step, limits.reportItems)),
  metadata: nullish(jsonObject),
  attributes: nullish(jsonObject),
  cost_usd: nullish(z.number().check(z.minimum(0, "must not be negative"))),
  cost_details: nullish(jsonObject),
  trace_id: nullish(shortId),
  root_span_id: nullish(shortId),
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

const runReportResponse = z.object({ run_id: z.string() });

export const reportEndpoints = endpoints("visitor", {
  "runs.report": {
    request: "POST /v1/runs",
    audit: { none: "own-content" },
    summary: "Report a run that your application made",
    description:
      "For applications that call a model themselves. Reports with the same `trace_id` belong to the same run; a later one adds its message and tags. Unknown fields are stored as attributes.",
    body: runReport,
    bodyBytesMax: limits.jsonBodyBytes,
    isWrite: true,
    status: 201,
    response: runReportResponse,
    errors: ["thread-not-found", "message-not-in-thread", "attributes-too-large", "quota-full"],
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
});
