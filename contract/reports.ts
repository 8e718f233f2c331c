import * as z from "zod/mini";
import { isJsonObject, type JsonObject } from "./json.ts";
import { limits } from "./limits.ts";
import {
  anyId,
  instant,
  jsonObject,
  name,
  printedInstant,
  queryName,
  queryNumber,
  shortId,
  textOf,
  wholeNumber,
} from "./shapes.ts";
import { runSpan } from "./traces.ts";

/** Runs that were made elsewhere and are told to us afterwards, and runs of all kinds as a project's backend reads them. */

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

/** A field that may be missing; what cannot be told in JSON (`NaN`) arrives as null and is as good as missing. */
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

/** What is known of a report, by name. */
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

/** What a report says: the fields we know, as they came, and whatever else stands beside them. */
export type RunReport = { fields: RunReportFields; others: JsonObject };

/**
 * A report of a run. Fields that we do not know are kept, not refused: newer clients say more, and would lose the
 * whole report. The others keep their reference, so that no name of theirs (`__proto__`) is lost.
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

/** A run as a project's backend reads it; what nobody said of it is null. */
export const projectRun = z
  .object({
    id: z.string(),
    thread_id: z.nullable(z.string()),
    message_id: z.nullable(z.string()),
    created_by: z.nullable(z.string()).check(z.describe("Who asked for it.")),
    status: z.nullable(z.enum(reportStatuses)).check(z.describe("Null while it is under way.")),
    outcome_type: z
      .nullable(z.string())
      .check(z.describe("What ended it, where it was not simply complete.")),
    error_code: z.nullable(z.string()),
    provider: z.nullable(z.string()),
    model_id: z.nullable(z.string()),
    environment: z.nullable(z.string()),
    release: z.nullable(z.string()),
    tags: z.array(z.string()),
    metadata: anyObject.check(z.describe("The same as attributes.")),
    attributes: anyObject.check(z.describe("What the application wants kept with the run.")),
    root_span_id: z.nullable(z.string()),
    cost_details: z.nullable(anyObject),
    input_tokens: z.nullable(z.number()),
    cached_input_tokens: z.nullable(z.number()),
    output_tokens: z.nullable(z.number()),
    reasoning_tokens: z.nullable(z.number()),
    duration_ms: z.nullable(z.number()).check(z.describe("Milliseconds from its start to its end.")),
    first_token_ms: z
      .nullable(z.number())
      .check(z.describe("Milliseconds from its start to the first word.")),
    cost_usd: z.nullable(z.number()).check(z.describe("What it cost, where that was reported.")),
    total_steps: z.nullable(z.number()),
    service_name: z.nullable(z.string()).check(z.describe("The service whose telemetry told of it.")),
    agent_name: z.nullable(z.string()).check(z.describe("The agent that its telemetry names.")),
    spans: z
      .optional(z.array(runSpan))
      .check(z.describe("What its telemetry told, step by step; only where one run is read.")),
    assistant_id: z.nullable(z.string()),
    created_at: printedInstant,
  })
  .check(
    z.meta({ id: "ProjectRun", description: "A run as a backend reads it; what nobody said of it is null." }),
  );
export type ProjectRun = z.infer<typeof projectRun>;

export const projectRunQuery = z.object({
  status: z
    .optional(z.enum(reportStatuses, "must be completed, incomplete or error"))
    .check(z.describe("Only runs that ended so.")),
  outcome_type: z
    .optional(z.enum(outcomes, `must be one of ${outcomes.join(", ")}`))
    .check(z.describe("Only runs of this outcome.")),
  model_id: z.optional(anyId).check(z.describe("Only of this model.")),
  provider: z.optional(anyId).check(z.describe("Only of this provider.")),
  created_by: z.optional(anyId).check(z.describe("Only those that this user asked for.")),
  thread_id: z.optional(shortId).check(z.describe("Only of this thread.")),
  environment: z.optional(queryName(64)).check(z.describe("Only of this environment.")),
  release: z.optional(anyId).check(z.describe("Only of this release.")),
  tag: z.optional(queryName(64)).check(z.describe("Only those with this tag.")),
  from: z.optional(instant).check(z.describe("Made at this time or later.")),
  to: z.optional(instant).check(z.describe("Made at this time or earlier.")),
  limit: z
    .optional(queryNumber(1, limits.runPageMax))
    .check(z.describe(`How many; ${limits.runPage} where it is not said.`)),
  cursor: z.optional(queryName(255)).check(z.describe("The next_cursor of the page before.")),
});

export const projectRunList = z.object({ runs: z.array(projectRun), next_cursor: z.nullable(z.string()) });

const day = z.string().check(z.regex(/^\d{4}-\d{2}-\d{2}$/, "must be a day such as 2026-01-31"));

export const usageQuery = z.object({
  from: z
    .optional(day)
    .check(z.describe("The first day (UTC); 29 days before the last where it is not said.")),
  to: z.optional(day).check(z.describe("The last day (UTC); today where it is not said.")),
  group_by: z
    .optional(z.literal("model", "must be model"))
    .check(z.describe("One row for each model of a day.")),
});

/** What a project's runs used on one day (UTC), of one model where that was asked for. */
export const usageDay = z
  .object({
    day: z.string(),
    provider: z.optional(z.nullable(z.string())),
    model_id: z.optional(z.nullable(z.string())),
    runs: z.number(),
    errors: z.number(),
    input_tokens: z.number(),
    output_tokens: z.number(),
    total_tokens: z.number(),
    cost_usd: z.number(),
  })
  .check(
    z.meta({
      id: "UsageDay",
      description: "What was used on one day, of one model where that was asked for.",
    }),
  );
export type UsageDay = z.infer<typeof usageDay>;

export const usageDays = z.object({ days: z.array(usageDay) });

/** What was used in the present month (UTC). Limits are null: a server of one's own has no plan that sets any. */
export const usagePeriod = z.object({
  plan: z.literal("self-hosted"),
  period_start: printedInstant,
  period_end: printedInstant.check(z.describe("The first moment that is not in it.")),
  active_users: z.number().check(z.describe("People for whom something ran.")),
  included: z.null(),
  cap: z.null(),
  capped_at: z.null(),
  thread_titles: z.object({
    used: z.number().check(z.describe("Threads of this month that a model gave their title.")),
    completed: z.number(),
    included: z.null(),
    cap: z.null(),
    capped_at: z.null(),
  }),
});
export type UsagePeriod = z.infer<typeof usagePeriod>;
