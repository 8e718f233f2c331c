import * as z from "zod/mini";
import { endpoints } from "../endpoints/endpoints.ts";
import { limits } from "../limits.ts";
import { described, jsonObject, namedObject, queryNumber, timestamp } from "../endpoints/fields.ts";

const max = limits.retentionDaysMax;

function days(min: number) {
  const mistake = `must be null or a whole number from ${min} to ${max}`;
  return z.nullable(z.int(mistake).check(z.minimum(min, mistake), z.maximum(max, mistake)));
}

const ruleFields = {
  keep_threads_days: described(
    days(1),
    `Threads in which nothing has happened for so many days are deleted, 1 to ${max}; null keeps them.`,
  ),
  keep_span_texts_days: described(
    days(0),
    `How many days the input, output and attributes of spans are kept, 0 to ${max}; 0 stores none of them, null keeps them.`,
  ),
  keep_steps_days: described(
    days(1),
    `How many days the steps of runs are kept as evidence: the requests as they were sent, with the tool calls and results, 1 to ${max}; null keeps none.`,
  ),
};
const rules = z.object(ruleFields);
export type RetentionRules = z.infer<typeof rules>;

const retention = namedObject("Retention", "How long what an app stores is kept.", {
  ...ruleFields,
  next: described(
    z.nullable(z.object({ ...ruleFields, takes_effect_at: timestamp })),
    "What applies from then on, unless it is changed before; null if nothing changes.",
  ),
});
export type Retention = z.infer<typeof retention>;

const preview = namedObject("RetentionPreview", "What rules would delete.", {
  threads: z.number(),
  messages: z.number(),
  files: described(z.number(), "Files that only these threads have."),
  bytes: described(z.number(), "The size of these threads and files."),
  spans: described(z.number(), "Spans that lose their input, output and attributes."),
});
export type RetentionPreview = z.infer<typeof preview>;

const replayText =
  "In the event format of AG-UI: each step with its requests (RAW events have the body as it was sent, CUSTOM ones the model, tokens and times), its texts whole, and its tool calls with their results. Only while the app keeps steps, and never of temporary and local-only chats.";

const replay = namedObject("RunReplay", "The steps of a run.", {
  events: described(z.array(jsonObject), "Events of AG-UI, from RUN_STARTED to RUN_FINISHED or RUN_ERROR."),
});

const common = { caller: "account", permission: "apps.manage" } as const;

export const retentionEndpoints = endpoints(common, {
  "console.retention": {
    request: "GET /v1/admin/apps/{app_id}/retention",
    summary: "Get how long an app’s threads are kept",
    description: "Threads of people who have an account on this server are never part of it.",
    response: retention,
  },
  "console.putRetention": {
    request: "PUT /v1/admin/apps/{app_id}/retention",
    audit: "app-retention-changed",
    summary: "Choose how long an app’s threads are kept",
    description:
      "What keeps more applies at once; what deletes more applies a day later, and can be changed until then. To cancel a change that is to come, put what applies now.",
    body: rules,
    response: retention,
    example: { body: { keep_threads_days: 90, keep_span_texts_days: 30, keep_steps_days: null } },
  },
  "console.previewRetention": {
    request: "GET /v1/admin/apps/{app_id}/retention/preview",
    summary: "Get what a retention would delete",
    description:
      "What is old enough when a retention that is set now takes effect in a day, if nothing happens in these threads until then.",
    query: z.object({
      keep_threads_days: described(z.optional(queryNumber(1, max)), "Default: threads are kept."),
      keep_span_texts_days: described(z.optional(queryNumber(0, max)), "Default: they are kept."),
    }),
    response: preview,
    example: { query: { keep_threads_days: "90" } },
  },
  "console.replay": {
    request: "GET /v1/admin/apps/{app_id}/runs/{run_id}/replay",
    summary: "Export the steps of an app’s run",
    description: `${replayText} Like the run for the app's API key.`,
    response: replay,
    errors: ["run-steps-not-kept"],
  },
});

export const replayEndpoints = endpoints("visitor", {
  "runs.replay": {
    request: "GET /v1/runs/{run_id}/replay",
    summary: "Export the steps of a run",
    description: `${replayText} Only of runs that the caller started. People who may not read the instructions of assistants get the requests without them.`,
    response: replay,
    errors: ["run-steps-not-kept"],
  },
});
