import * as z from "zod/mini";
import { limits } from "../limits.ts";
import { day, described, namedObject, queryName } from "./fields.ts";
import { endpoints } from "./endpoints.ts";

export const usageGroups = ["model", "assistant", "both"] as const;
export type UsageGroup = (typeof usageGroups)[number];

const query = z.object({
  from: described(z.optional(day), "The first day. Default: 29 days before the last one."),
  to: described(z.optional(day), "The last day. Default: today."),
  time_zone: described(
    z.optional(queryName(64)),
    "The IANA time zone of the days. Unknown names count as absent. Default: the server's.",
  ),
  group_by: described(
    z.optional(z.enum(usageGroups, `must be one of ${usageGroups.join(", ")}`)),
    "One row per day and model, per day and assistant, or per day, model and assistant. Default: one row per day.",
  ),
});

const usageRow = namedObject("UsageRow", "The usage of a day, or of a model or assistant on that day.", {
  day: z.string(),
  model: described(
    z.nullable(z.string()),
    "Null unless grouped by model or both, and for blind comparisons without a choice.",
  ),
  assistant_id: described(
    z.nullable(z.string()),
    "Null unless grouped by assistant or both, and for requests without one.",
  ),
  assistant_name: z.nullable(z.string()),
  requests: described(z.number(), "Requests to models, including those for titles and summaries."),
  input_tokens: z.number(),
  cached_tokens: described(z.number(), "Those input tokens that the provider had cached."),
  output_tokens: described(z.number(), "Including the tokens of reasoning."),
  reasoning_tokens: z.number(),
  cost_usd: described(z.number(), "By list prices at the time; what your provider charges may differ."),
  unpriced_requests: described(z.number(), "Requests with tokens whose price is not known."),
  estimated_requests: described(
    z.number(),
    "Requests whose tokens and cost are an estimate: the model did not report them, because it was stopped, broke off, or never does.",
  ),
  failed_requests: described(
    z.number(),
    "Requests that the model refused or broke off, counting every retry.",
  ),
  answered_requests: described(z.number(), "Requests for answers with at least one word or thought."),
  wait_ms: described(
    z.number(),
    "The time from sending until the first word or thought, added up over those.",
  ),
});
export type UsageRow = z.infer<typeof usageRow>;

const feedbackDay = namedObject(
  "FeedbackDay",
  "How many answers were rated for the first time on a day. Of each person only the last rating counts, on the day of the first one.",
  { day: z.string(), positive: z.number(), negative: z.number() },
);

export type FeedbackDay = z.infer<typeof feedbackDay>;

const response = z.object({
  from: z.string(),
  to: z.string(),
  time_zone: z.string(),
  rows: described(z.array(usageRow), "By day. Days without requests have no rows."),
  feedback: described(
    z.array(feedbackDay),
    "By day. Days without ratings have no entry. Ratings of deleted threads still count.",
  ),
});
export type UsageReport = z.infer<typeof response>;

const common = { caller: "visitor", errors: ["bad-day-range"] } as const;

export const usageEndpoints = endpoints(common, {
  "usage.own": {
    request: "GET /v1/usage",
    summary: "Get your tokens and cost by day",
    description: `What your requests to models used in this workspace. At most ${limits.usageDaysMax} days.`,
    query,
    response,
    example: { query: { group_by: "model", time_zone: "Europe/Berlin" } },
  },
  "usage.everyone": {
    request: "GET /v1/usage/everyone",
    caller: "account",
    permission: "usage.read",
    summary: "Get everyone's tokens and cost by day",
    description: `The same for all people and workspaces of the app. At most ${limits.usageDaysMax} days.`,
    query,
    response,
    example: { query: { group_by: "assistant" } },
  },
});
