import * as z from "zod/mini";
import { limits } from "../limits.ts";
import {
  anyId,
  day,
  instant,
  jsonObject,
  timestamp,
  queryName,
  queryNumber,
  shortId,
  threadParams,
  runParams,
  emptyObject,
} from "./fields.ts";
import { outcomes, reportStatuses } from "./reports.ts";
import { runSpan } from "./traces.ts";
import { threadListQuery, thread } from "./threads.ts";
import { messageListQuery, message } from "./messages.ts";
import { scoreListQuery, score } from "./scores.ts";
import { erasureResponse } from "./erasure.ts";
import type { Endpoints } from "../endpoint.ts";

export const appRun = z
  .object({
    id: z.string(),
    thread_id: z.nullable(z.string()),
    message_id: z.nullable(z.string()),
    created_by: z.nullable(z.string()).check(z.describe("The user who started it.")),
    status: z.nullable(z.enum(reportStatuses)).check(z.describe("Null until it ends.")),
    outcome_type: z.nullable(z.string()).check(z.describe("Why it ended, if it was not simply completed.")),
    error_code: z.nullable(z.string()),
    provider: z.nullable(z.string()),
    model_id: z.nullable(z.string()),
    environment: z.nullable(z.string()),
    release: z.nullable(z.string()),
    tags: z.array(z.string()),
    metadata: jsonObject.check(z.describe("Same as attributes.")),
    attributes: jsonObject.check(z.describe("Data that the application stored with the run.")),
    root_span_id: z.nullable(z.string()),
    cost_details: z.nullable(jsonObject),
    usage_details: z
      .nullable(z.record(z.string(), z.number()))
      .check(z.describe("The known token counts, by the names of their fields.")),
    input_tokens: z.nullable(z.number()),
    cached_input_tokens: z.nullable(z.number()),
    output_tokens: z.nullable(z.number()),
    reasoning_tokens: z.nullable(z.number()),
    duration_ms: z.nullable(z.number()).check(z.describe("Milliseconds from start to end.")),
    first_token_ms: z.nullable(z.number()).check(z.describe("Milliseconds from start to the first token.")),
    cost_usd: z
      .nullable(z.number())
      .check(
        z.describe("Its cost: as reported, otherwise by the list price of its model, if that is known."),
      ),
    total_steps: z.nullable(z.number()),
    service_name: z.nullable(z.string()).check(z.describe("The service that sent its telemetry.")),
    agent_name: z.nullable(z.string()).check(z.describe("The agent named in its telemetry.")),
    spans: z
      .optional(z.array(runSpan))
      .check(
        z.describe(
          "The spans of its telemetry, or else the reported steps and tool calls; only in the response for a single run.",
        ),
      ),
    assistant_id: z.nullable(z.string()),
    created_at: timestamp,
  })
  .check(z.meta({ id: "AppRun", description: "A run as backends read it. Unknown fields are null." }));
export type AppRun = z.infer<typeof appRun>;

export const appRunQuery = z.object({
  status: z
    .optional(z.enum(reportStatuses, "must be completed, incomplete or error"))
    .check(z.describe("Only runs with this status.")),
  outcome_type: z
    .optional(z.enum(outcomes, `must be one of ${outcomes.join(", ")}`))
    .check(z.describe("Only runs with this outcome.")),
  model_id: z.optional(anyId).check(z.describe("Only runs of this model.")),
  provider: z.optional(anyId).check(z.describe("Only runs of this provider.")),
  created_by: z.optional(anyId).check(z.describe("Only runs that this user started.")),
  thread_id: z.optional(shortId).check(z.describe("Only runs of this thread.")),
  environment: z.optional(queryName(64)).check(z.describe("Only runs of this environment.")),
  release: z.optional(anyId).check(z.describe("Only runs of this release.")),
  tag: z.optional(queryName(64)).check(z.describe("Only runs with this tag.")),
  from: z.optional(instant).check(z.describe("Only runs created at this time or later.")),
  to: z.optional(instant).check(z.describe("Only runs created at this time or earlier.")),
  limit: z
    .optional(queryNumber(1, limits.runPageMax))
    .check(z.describe(`Page size. Default: ${limits.runPage}.`)),
  cursor: z.optional(queryName(255)).check(z.describe("The `next_cursor` of the previous page.")),
});

export const appRunList = z.object({ runs: z.array(appRun), next_cursor: z.nullable(z.string()) });

export const usageQuery = z.object({
  from: z.optional(day).check(z.describe("The first day (UTC). Default: 29 days before the last one.")),
  to: z.optional(day).check(z.describe("The last day (UTC). Default: today.")),
  group_by: z.optional(z.literal("model", "must be model")).check(z.describe("One row per day and model.")),
});

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
      description: "Usage of one day (UTC), for one model if grouped by model.",
    }),
  );
export type UsageDay = z.infer<typeof usageDay>;

export const usageDays = z.object({ days: z.array(usageDay) });

/** Usage of the current month (UTC). Limits are null because a self-hosted server has no plan. */
export const usagePeriod = z.object({
  plan: z.literal("self-hosted"),
  period_start: timestamp,
  period_end: timestamp.check(z.describe("Exclusive end of the period.")),
  active_users: z.number().check(z.describe("Users with at least one run.")),
  included: z.null(),
  cap: z.null(),
  capped_at: z.null(),
  thread_titles: z.object({
    used: z.number().check(z.describe("Threads of this month whose title a model wrote.")),
    completed: z.number(),
    included: z.null(),
    cap: z.null(),
    capped_at: z.null(),
  }),
});
export type UsagePeriod = z.infer<typeof usagePeriod>;

const userParams = z.object({ user_id: anyId });

export const appEndpoints = {
  "apps.threads": {
    method: "GET",
    path: "/v1/projects/threads",
    caller: "app",
    summary: "List the threads of every workspace",
    description: "Like the thread list of one workspace, but for all workspaces.",
    query: threadListQuery,
    kind: "json",
    status: 200,
    response: z.object({ threads: z.array(thread) }),
    example: { query: { limit: "20" } },
  },
  "apps.messages": {
    method: "GET",
    path: "/v1/projects/threads/{thread_id}/messages",
    caller: "app",
    summary: "List the messages of a thread of any workspace",
    description: "Like the message list of your own thread.",
    params: threadParams,
    query: messageListQuery,
    kind: "json",
    status: 200,
    response: z.object({ messages: z.array(message) }),
    errors: ["page-too-large"],
    example: { query: { limit: "200" } },
  },
  "apps.runs": {
    method: "GET",
    path: "/v1/projects/runs",
    caller: "app",
    summary: "List the runs of every workspace, newest first",
    description:
      "All runs: of this server, streamed to a client, and reported ones. Pass `next_cursor` as `cursor` to get the next page; it is null on the last page.",
    query: appRunQuery,
    kind: "json",
    status: 200,
    response: appRunList,
    errors: ["bad-cursor"],
    example: { query: { status: "completed", limit: "50" } },
  },
  "apps.run": {
    method: "GET",
    path: "/v1/projects/runs/{run_id}",
    caller: "app",
    summary: "Get a run of any workspace",
    description:
      "One run of any user, with the spans of its telemetry, or else its reported steps and tool calls. The span of the agent that is the whole run is not among them.",
    params: runParams,
    kind: "json",
    status: 200,
    response: appRun,
  },
  "apps.usage": {
    method: "GET",
    path: "/v1/projects/usage/daily",
    caller: "app",
    summary: "Get runs, tokens and cost by day",
    description: `Every day of the range, including days without runs. Grouped by model, only days with runs. At most ${limits.usageDaysMax} days.`,
    query: usageQuery,
    kind: "json",
    status: 200,
    response: usageDays,
    errors: ["bad-day-range"],
    example: { query: { group_by: "model" } },
  },
  "apps.usagePeriod": {
    method: "GET",
    path: "/v1/projects/usage/period",
    caller: "app",
    summary: "Get this month's usage",
    description:
      "The current calendar month (UTC). A self-hosted server has no plan and no limits, so those fields are null.",
    kind: "json",
    status: 200,
    response: usagePeriod,
  },
  "apps.scores": {
    method: "GET",
    path: "/v1/projects/scores",
    caller: "app",
    summary: "List the scores of every workspace, newest first",
    description: "Newest first. After a page of exactly `limit` scores there may be more.",
    query: scoreListQuery,
    kind: "json",
    status: 200,
    response: z.object({ scores: z.array(score) }),
    errors: ["bad-cursor"],
    example: { query: { name: "feedback", limit: "50" } },
  },
  "apps.eraseUser": {
    method: "DELETE",
    path: "/v1/projects/users/{user_id}",
    caller: "app",
    audit: "content-erased",
    summary: "Permanently erase a user's data",
    description:
      "Deletes the threads that the user created, their messages in other threads, and their scores, events and sessions. Runs still count towards usage, without the user's name. This cannot be undone.",
    params: userParams,
    kind: "json",
    status: 200,
    response: erasureResponse,
    errors: ["not-allowed"],
  },
  "mcp.call": {
    method: "POST",
    path: "/v1/mcp",
    caller: "app",
    audit: { none: "no-change" },
    summary: "Call the server over the Model Context Protocol",
    description: "Not implemented: returns 501. Use the `/v1/projects` endpoints instead.",
    kind: "json",
    status: 200,
    response: emptyObject,
    errors: ["mcp-not-offered"],
  },
} as const satisfies Endpoints;
