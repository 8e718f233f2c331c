import * as z from "zod/mini";
import { limits } from "../limits.ts";
import { day, queryName } from "./fields.ts";
import type { Endpoints } from "../endpoint.ts";

export const usageGroups = ["model", "assistant", "both"] as const;
export type UsageGroup = (typeof usageGroups)[number];

const query = z.object({
  from: z.optional(day).check(z.describe("The first day. Default: 29 days before the last one.")),
  to: z.optional(day).check(z.describe("The last day. Default: today.")),
  time_zone: z
    .optional(queryName(64))
    .check(
      z.describe("The IANA time zone of the days. Unknown names count as absent. Default: the server's."),
    ),
  group_by: z
    .optional(z.enum(usageGroups, `must be one of ${usageGroups.join(", ")}`))
    .check(
      z.describe(
        "One row per day and model, per day and assistant, or per day, model and assistant. Default: one row per day.",
      ),
    ),
});

const usageRow = z
  .object({
    day: z.string(),
    model: z
      .nullable(z.string())
      .check(z.describe("Null unless grouped by model or both, and for blind comparisons without a choice.")),
    assistant_id: z
      .nullable(z.string())
      .check(z.describe("Null unless grouped by assistant or both, and for requests without one.")),
    assistant_name: z.nullable(z.string()),
    requests: z.number().check(z.describe("Requests to models, including those for titles and summaries.")),
    input_tokens: z.number(),
    cached_tokens: z.number().check(z.describe("Those input tokens that the provider had cached.")),
    output_tokens: z.number().check(z.describe("Including the tokens of reasoning.")),
    reasoning_tokens: z.number(),
    cost_usd: z
      .number()
      .check(z.describe("By list prices at the time; what your provider charges may differ.")),
    unpriced_requests: z.number().check(z.describe("Requests with tokens whose price is not known.")),
    estimated_requests: z
      .number()
      .check(
        z.describe(
          "Requests whose tokens and cost are an estimate: the model did not report them, because it was stopped, broke off, or never does.",
        ),
      ),
    failed_requests: z
      .number()
      .check(z.describe("Requests that the model refused or broke off, counting every retry.")),
    answered_requests: z
      .number()
      .check(z.describe("Requests for answers with at least one word or thought.")),
    wait_ms: z
      .number()
      .check(z.describe("The time from sending until the first word or thought, added up over those.")),
  })
  .check(
    z.meta({ id: "UsageRow", description: "The usage of a day, or of a model or assistant on that day." }),
  );
export type UsageRow = z.infer<typeof usageRow>;

const feedbackDay = z.object({ day: z.string(), positive: z.number(), negative: z.number() }).check(
  z.meta({
    id: "FeedbackDay",
    description:
      "How many answers were rated for the first time on a day. Of each person only the last rating counts, on the day of the first one.",
  }),
);

export type FeedbackDay = z.infer<typeof feedbackDay>;

const response = z.object({
  from: z.string(),
  to: z.string(),
  time_zone: z.string(),
  rows: z.array(usageRow).check(z.describe("By day. Days without requests have no rows.")),
  feedback: z
    .array(feedbackDay)
    .check(z.describe("By day. Days without ratings have no entry. Ratings of deleted threads still count.")),
});
export type UsageReport = z.infer<typeof response>;

export const usageEndpoints = {
  "usage.own": {
    method: "GET",
    path: "/v1/usage",
    caller: "visitor",
    summary: "Get your tokens and cost by day",
    description: `What your requests to models used in this workspace. At most ${limits.usageDaysMax} days.`,
    query,
    kind: "json",
    status: 200,
    response,
    errors: ["bad-day-range"],
    example: { query: { group_by: "model", time_zone: "Europe/Berlin" } },
  },
  "usage.everyone": {
    method: "GET",
    path: "/v1/usage/everyone",
    caller: "account",
    permission: "usage.read",
    summary: "Get everyone's tokens and cost by day",
    description: `The same for all people and workspaces of the app. At most ${limits.usageDaysMax} days.`,
    query,
    kind: "json",
    status: 200,
    response,
    errors: ["bad-day-range"],
    example: { query: { group_by: "assistant" } },
  },
} as const satisfies Endpoints;
