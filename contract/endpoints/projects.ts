import * as z from "zod/mini";
import { limits } from "../limits.ts";
import {
  anyId,
  instant,
  jsonObject,
  printedInstant,
  queryName,
  queryNumber,
  shortId,
  threadParams,
  runParams,
  empty,
} from "./fields.ts";
import { outcomes, reportStatuses } from "./reports.ts";
import { runSpan } from "./traces.ts";
import { threadListQuery, thread } from "./threads.ts";
import { messageListQuery, message } from "./messages.ts";
import { scoreListQuery, score } from "./scores.ts";
import { erased } from "./erasure.ts";
import type { Endpoints } from "../endpoint.ts";

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
    metadata: jsonObject.check(z.describe("The same as attributes.")),
    attributes: jsonObject.check(z.describe("What the application wants kept with the run.")),
    root_span_id: z.nullable(z.string()),
    cost_details: z.nullable(jsonObject),
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

const userParams = z.object({ user_id: anyId });

export const projectEndpoints = {
  "projects.threads": {
    method: "GET",
    path: "/v1/projects/threads",
    caller: "project",
    summary: "List the threads of every workspace",
    description: "As the list of one workspace, over all of them.",
    query: threadListQuery,
    kind: "json",
    status: 200,
    response: z.object({ threads: z.array(thread) }),
    errors: ["bad-cursor"],
    example: { query: { limit: "20" } },
  },
  "projects.messages": {
    method: "GET",
    path: "/v1/projects/threads/{thread_id}/messages",
    caller: "project",
    summary: "List the messages of a thread of any workspace",
    description: "As the list of one's own thread.",
    params: threadParams,
    query: messageListQuery,
    kind: "json",
    status: 200,
    response: z.object({ messages: z.array(message) }),
    errors: ["bad-cursor", "page-too-large"],
    example: { query: { limit: "200" } },
  },
  "projects.runs": {
    method: "GET",
    path: "/v1/projects/runs",
    caller: "project",
    summary: "List the runs of every workspace, newest first",
    description:
      "Runs of all kinds: made here, streamed to a client, and reported. Pass `next_cursor` as `cursor` for the next page; null is the end.",
    query: projectRunQuery,
    kind: "json",
    status: 200,
    response: projectRunList,
    errors: ["bad-cursor"],
    example: { query: { status: "completed", limit: "50" } },
  },
  "projects.run": {
    method: "GET",
    path: "/v1/projects/runs/{run_id}",
    caller: "project",
    summary: "Read a run of any workspace",
    description: "One run, whoever asked for it.",
    params: runParams,
    kind: "json",
    status: 200,
    response: projectRun,
  },
  "projects.usage": {
    method: "GET",
    path: "/v1/projects/usage/daily",
    caller: "project",
    summary: "Read runs, tokens and cost by day",
    description: `Every day of the range, also those without a run; by model, only those with one. At most ${limits.usageDaysMax} days.`,
    query: usageQuery,
    kind: "json",
    status: 200,
    response: usageDays,
    errors: ["bad-day-range"],
    example: { query: { group_by: "model" } },
  },
  "projects.usagePeriod": {
    method: "GET",
    path: "/v1/projects/usage/period",
    caller: "project",
    summary: "Read what was used this month",
    description:
      "The present calendar month (UTC). There is no plan here and so no limit: those fields are null.",
    kind: "json",
    status: 200,
    response: usagePeriod,
  },
  "projects.scores": {
    method: "GET",
    path: "/v1/projects/scores",
    caller: "project",
    summary: "List the scores of every workspace, newest first",
    description: "Newest first. A page of exactly `limit` scores may have more after it.",
    query: scoreListQuery,
    kind: "json",
    status: 200,
    response: z.object({ scores: z.array(score) }),
    errors: ["bad-cursor"],
    example: { query: { name: "feedback", limit: "50" } },
  },
  "projects.eraseUser": {
    method: "DELETE",
    path: "/v1/projects/users/{user_id}",
    caller: "project",
    summary: "Erase a user and what they made, for good",
    description:
      "Deletes the threads that they made, their words in threads of others, their scores, events and sessions. Runs stay counted, without their name. It cannot be undone.",
    params: userParams,
    kind: "json",
    status: 200,
    response: erased,
    errors: ["not-allowed"],
  },
  "mcp.call": {
    method: "POST",
    path: "/v1/mcp",
    caller: "project",
    summary: "Speak the Model Context Protocol with the server",
    description: "Answered 501: what it would read is read through `/v1/projects`.",
    kind: "json",
    status: 200,
    response: empty,
    errors: ["mcp-not-offered"],
  },
} as const satisfies Endpoints;
