import * as z from "zod/mini";
import { limits } from "../limits.ts";
import type { Endpoints } from "../endpoint.ts";
import { userContent } from "../parts/schemas.ts";
import { anyId, exampleContent, name, threadParams, timestamp } from "./fields.ts";
import { streamId } from "./live.ts";
import { reasoningEffort } from "./models.ts";
import { messageErrors, timeZone } from "./runs.ts";

export const comparison = z
  .object({
    id: z.string(),
    thread_id: z.string(),
    message_id: z.string().check(z.describe("The message that all of them answer.")),
    is_blind: z.boolean().check(z.describe("Whether the models are secret until a choice.")),
    chosen_reply_id: z.nullable(z.string()).check(z.describe("The answer that continues the thread.")),
    answers: z
      .array(
        z.object({
          reply_id: z.string(),
          run_id: z.string().check(z.describe("The run that writes or wrote it last.")),
          model: z.nullable(z.string()).check(z.describe("Null while it is secret.")),
        }),
      )
      .check(z.describe("In the order in which they are shown.")),
    created_at: timestamp,
  })
  .check(z.meta({ id: "Comparison", description: "A message that several models answer at the same time." }));
export type Comparison = z.infer<typeof comparison>;

const comparisonStart = z
  .object({
    id: z
      .optional(anyId)
      .check(z.describe("An id that you created. Repeating the request returns the same comparison.")),
    message: z.optional(
      z.object({ id: z.optional(anyId), parent_id: z.nullable(anyId), content: userContent }),
    ),
    temporary: z
      .optional(z.boolean())
      .check(z.describe("If this creates the thread: make it temporary, as `POST …/runs` does.")),
    folder_id: z
      .optional(anyId)
      .check(z.describe("If this creates the thread: its folder. One that is gone is ignored.")),
    parent_id: z.optional(anyId).check(z.describe("A stored message to answer again.")),
    models: z
      .array(name)
      .check(
        z.minLength(2, "must be at least 2"),
        z.maxLength(limits.comparedMax, `must be at most ${limits.comparedMax}`),
        z.describe("The models, each once."),
      ),
    is_blind: z
      .optional(z.boolean())
      .check(z.describe("Shuffles the answers and hides their models until one is chosen.")),
    assistant_id: z.optional(z.nullable(name)).check(z.describe("Default: that of the thread.")),
    reasoning_effort: z
      .optional(z.nullable(reasoningEffort))
      .check(z.describe("Default: that of the thread.")),
    time_zone: timeZone,
    stream_id: z.optional(streamId),
  })
  .check(
    z.refine((body) => (body.message === undefined) !== (body.parent_id === undefined), {
      path: ["message"],
      message: "give either message (to send) or parent_id (to answer that message again)",
    }),
  );

const comparisonParams = z.object({ comparison_id: anyId });
const oneComparison = z.object({ comparison });

export const comparisonEndpoints = {
  "comparisons.start": {
    method: "POST",
    path: "/v1/threads/{thread_id}/comparisons",
    caller: "visitor",
    audit: { none: "own-content" },
    summary: "Let several models answer one message at the same time",
    description:
      "Stores the message, and an answer of each model as siblings. Each answer is a run like any other: it can be followed, stopped and continued. Queued messages wait for a choice. An assistant's fallback model does not answer here.",
    params: threadParams,
    body: comparisonStart,
    bodyBytesMax: limits.jsonBodyBytes,
    isWrite: true,
    kind: "json",
    status: 201,
    response: oneComparison,
    errors: messageErrors,
    example: {
      body: {
        message: { parent_id: null, content: exampleContent("What grows in the shade?") },
        models: ["builtin", "fixture-1"],
      },
    },
  },
  "comparisons.wins": {
    method: "GET",
    path: "/v1/comparisons/wins",
    caller: "visitor",
    summary: "Count how often each model was chosen",
    description: "Of your own comparisons in this workspace that have a choice, the most chosen model first.",
    kind: "json",
    status: 200,
    response: z.object({
      models: z.array(
        z.object({
          model: z.string(),
          wins: z.number().check(z.describe("How often its answer was chosen.")),
          comparisons: z.number().check(z.describe("How often it took part.")),
        }),
      ),
    }),
  },
  "comparisons.get": {
    method: "GET",
    path: "/v1/comparisons/{comparison_id}",
    caller: "visitor",
    members: "read",
    summary: "Get a comparison",
    description: "Its answers and their runs. In a blind one, the models are null until one is chosen.",
    params: comparisonParams,
    kind: "json",
    status: 200,
    response: oneComparison,
  },
  "comparisons.choose": {
    method: "PUT",
    path: "/v1/comparisons/{comparison_id}",
    caller: "visitor",
    audit: { none: "own-content" },
    summary: "Choose an answer",
    description:
      "The thread continues with this answer and its model. The other answers are stopped if they are still being written, and stay as other versions. The first choice counts; repeating it changes nothing.",
    params: comparisonParams,
    body: z.object({ reply_id: anyId }),
    kind: "json",
    status: 200,
    response: oneComparison,
    errors: ["conflict"],
    example: { body: { reply_id: "$REPLY_ID" } },
  },
} as const satisfies Endpoints;
export type ComparisonWins = z.infer<(typeof comparisonEndpoints)["comparisons.wins"]["response"]>;
