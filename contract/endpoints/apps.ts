import * as z from "zod/mini";
import { limits } from "../limits.ts";
import {
  anyId,
  day,
  described,
  instant,
  jsonObject,
  namedObject,
  queryName,
  queryNumber,
  shortId,
  timestamp,
} from "./fields.ts";
import { outcomes, reportStatuses } from "./reports.ts";
import { runSpan } from "./traces.ts";
import { threadListQuery, thread } from "./threads.ts";
import { messageListQuery, message } from "./messages.ts";
import { scoreListQuery, score } from "./scores.ts";
import { erasureResponse } from "./erasure.ts";
import { endpoints } from "./endpoints.ts";

export const appRun = namedObject("AppRun", "A run as backends read it. Unknown fields are null.", {
  id: z.string(),
  thread_id: z.nullable(z.string()),
  message_id: z.nullable(z.string()),
  created_by: described(z.nullable(z.string()), "The user who started it."),
  status: described(z.nullable(z.enum(reportStatuses)), "Null until it ends."),
  outcome_type: described(z.nullable(z.string()), "Why it ended, if it was not simply completed."),
  error_code: z.nullable(z.string()),
  provider: z.nullable(z.string()),
  model_id: z.nullable(z.string()),
  environment: z.nullable(z.string()),
  release: z.nullable(z.string()),
  tags: z.array(z.string()),
  metadata: described(jsonObject, "Same as attributes."),
  attributes: described(jsonObject, "Data that the application stored with the run."),
  root_span_id: z.nullable(z.string()),
  cost_details: z.nullable(jsonObject),
  usage_details: described(
    z.nullable(z.record(z.string(), z.number())),
    "The known token counts, by the names of their fields.",
  ),
  input_tokens: z.nullable(z.number()),
  cached_input_tokens: z.nullable(z.number()),
  output_tokens: z.nullable(z.number()),
  reasoning_tokens: z.nullable(z.number()),
  duration_ms: described(z.nullable(z.number()), "Milliseconds from start to end."),
  first_token_ms: described(z.nullable(z.number()), "Milliseconds from start to the first token."),
  cost_usd: described(
    z.nullable(z.number()),
    "Its cost: as reported, otherwise by the list price of its model, if that is known.",
  ),
  total_steps: z.nullable(z.number()),
  service_name: described(z.nullable(z.string()), "The service that sent its telemetry."),
  agent_name: described(z.nullable(z.string()), "The agent named in its telemetry."),
  spans: described(
    z.optional(z.array(runSpan)),
    "The spans of its telemetry, or else the reported steps and tool calls; only in the response for a single run.",
  ),
  assistant_id: z.nullable(z.string()),
  created_at: timestamp,
});
export type AppRun = z.infer<typeof appRun>;

export const appRunQuery = z.object({
  status: described(
    z.optional(z.enum(reportStatuses, "must be completed, incomplete or error")),
    "Only runs with this status.",
  ),
  outcome_type: described(
    z.optional(z.enum(outcomes, `must be one of ${outcomes.join(", ")}`)),
    "Only runs with this outcome.",
  ),
  model_id: described(z.optional(anyId), "Only runs of this model."),
  provider: described(z.optional(anyId), "Only runs of this provider."),
  created_by: described(z.optional(anyId), "Only runs that this user started."),
  thread_id: described(z.optional(shortId), "Only runs of this thread."),
  environment: described(z.optional(queryName(64)), "Only runs of this environment."),
  release: described(z.optional(anyId), "Only runs of this release."),
  tag: described(z.optional(queryName(64)), "Only runs with this tag."),
  from: described(z.optional(instant), "Only runs created at this time or later."),
  to: described(z.optional(instant), "Only runs created at this time or earlier."),
  limit: described(z.optional(queryNumber(1, limits.runPageMax)), `Page size. Default: ${limits.runPage}.`),
  cursor: described(z.optional(queryName(255)), "The `next_cursor` of the previous page."),
});

export const appRunList = z.object({ runs: z.array(appRun), next_cursor: z.nullable(z.string()) });

export const usageQuery = z.object({
  from: described(z.optional(day), "The first day (UTC). Default: 29 days before the last one."),
  to: described(z.optional(day), "The last day (UTC). Default: today."),
  group_by: described(z.optional(z.literal("model", "must be model")), "One row per day and model."),
});

export const usageDay = namedObject(
  "UsageDay",
  "Usage of one day (UTC), for one model if grouped by model.",
  {
    day: z.string(),
    provider: z.optional(z.nullable(z.string())),
    model_id: z.optional(z.nullable(z.string())),
    runs: z.number(),
    errors: z.number(),
    input_tokens: z.number(),
    output_tokens: z.number(),
    total_tokens: z.number(),
    cost_usd: z.number(),
  },
);
export type UsageDay = z.infer<typeof usageDay>;

export const usageDays = z.object({ days: z.array(usageDay) });

/** Usage of the current month (UTC). Limits are null because a self-hosted server has no plan. */
export const usagePeriod = z.object({
  plan: z.literal("self-hosted"),
  period_start: timestamp,
  period_end: described(timestamp, "Exclusive end of the period."),
  active_users: described(z.number(), "Users with at least one run."),
  included: z.null(),
  cap: z.null(),
  capped_at: z.null(),
  thread_titles: z.object({
    used: described(z.number(), "Threads of this month whose title a model wrote."),
    completed: z.number(),
    included: z.null(),
    cap: z.null(),
    capped_at: z.null(),
  }),
});
export type UsagePeriod = z.infer<typeof usagePeriod>;

export const appEndpoints = endpoints("app", {
  "apps.threads": {
    request: "GET /v1/projects/threads",
    summary: "List the threads of every workspace",
    description: "Like the thread list of one workspace, but for all workspaces.",
    query: threadListQuery,
    response: z.object({ threads: z.array(thread) }),
    example: { query: { limit: "20" } },
  },
  "apps.messages": {
    request: "GET /v1/projects/threads/{thread_id}/messages",
    summary: "List the messages of a thread of any workspace",
    description: "Like the message list of your own thread.",
    query: messageListQuery,
    response: z.object({ messages: z.array(message) }),
    errors: ["page-too-large"],
    example: { query: { limit: "200" } },
  },
  "apps.runs": {
    request: "GET /v1/projects/runs",
    summary: "List the runs of every workspace, newest first",
    description:
      "All runs: of this server, streamed to a client, and reported ones. Pass `next_cursor` as `cursor` to get the next page; it is null on the last page.",
    query: appRunQuery,
    response: appRunList,
    errors: ["bad-cursor"],
    example: { query: { status: "completed", limit: "50" } },
  },
  "apps.run": {
    request: "GET /v1/projects/runs/{run_id}",
    summary: "Get a run of any workspace",
    description:
      "One run of any user, with the spans of its telemetry, or else its reported steps and tool calls. The span of the agent that is the whole run is not among them.",
    response: appRun,
  },
  "apps.usage": {
    request: "GET /v1/projects/usage/daily",
    summary: "Get runs, tokens and cost by day",
    description: `Every day of the range, including days without runs. Grouped by model, only days with runs. At most ${limits.usageDaysMax} days.`,
    query: usageQuery,
    response: usageDays,
    errors: ["bad-day-range"],
    example: { query: { group_by: "model" } },
  },
  "apps.usagePeriod": {
    request: "GET /v1/projects/usage/period",
    summary: "Get this month's usage",
    description:
      "The current calendar month (UTC). A self-hosted server has no plan and no limits, so those fields are null.",
    response: usagePeriod,
  },
  "apps.scores": {
    request: "GET /v1/projects/scores",
    summary: "List the scores of every workspace, newest first",
    description: "Newest first. After a page of exactly `limit` scores there may be more.",
    query: scoreListQuery,
    response: z.object({ scores: z.array(score) }),
    errors: ["bad-cursor"],
    example: { query: { name: "feedback", limit: "50" } },
  },
  "apps.eraseUser": {
    request: "DELETE /v1/projects/users/{user_id}",
    audit: "content-erased",
    summary: "Permanently erase a user's data",
    description:
      "Deletes the threads that the user created, their messages in other threads, and their scores, events and sessions. Runs still count towards usage, without the user's name. This cannot be undone.",
    response: erasureResponse,
    errors: ["not-allowed"],
  },
  "mcp.call": {
    request: "POST /v1/mcp",
    audit: { none: "no-change" },
    summary: "Call the server over the Model Context Protocol",
    description: "Not implemented: returns 501. Use the `/v1/projects` endpoints instead.",
    errors: ["mcp-not-offered"],
  },
});
