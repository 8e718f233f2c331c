import * as z from "zod/mini";
import { limits } from "../limits.ts";
import { endpoints } from "./endpoints.ts";
import { userContent } from "../parts/schemas.ts";
import { anyId, described, exampleContent, name, namedObject, timestamp } from "./fields.ts";
import { streamId } from "./live.ts";
import { reasoningEffort } from "./models.ts";
import { messageErrors, timeZone } from "./runs.ts";

export const comparison = namedObject(
  "Comparison",
  "A message that several models answer at the same time.",
  {
    id: z.string(),
    thread_id: z.string(),
    message_id: described(z.string(), "The message that all of them answer."),
    is_blind: described(z.boolean(), "Whether the models are secret until a choice."),
    chosen_reply_id: described(z.nullable(z.string()), "The answer that continues the thread."),
    answers: described(
      z.array(
        z.object({
          reply_id: z.string(),
          run_id: described(z.string(), "The run that writes or wrote it last."),
          model: described(z.nullable(z.string()), "Null while it is secret."),
        }),
      ),
      "In the order in which they are shown.",
    ),
    created_at: timestamp,
  },
);
export type Comparison = z.infer<typeof comparison>;

const comparisonStart = z
  .object({
    id: described(
      z.optional(anyId),
      "An id that you created. Repeating the request returns the same comparison.",
    ),
    message: z.optional(
      z.object({ id: z.optional(anyId), parent_id: z.nullable(anyId), content: userContent }),
    ),
    temporary: described(
      z.optional(z.boolean()),
      "If this creates the thread: make it temporary, as `POST …/runs` does.",
    ),
    folder_id: described(
      z.optional(anyId),
      "If this creates the thread: its folder. One that is gone is ignored.",
    ),
    parent_id: described(z.optional(anyId), "A stored message to answer again."),
    models: described(
      z
        .array(name)
        .check(
          z.minLength(2, "must be at least 2"),
          z.maxLength(limits.comparedMax, `must be at most ${limits.comparedMax}`),
        ),
      "The models, each once.",
    ),
    is_blind: described(
      z.optional(z.boolean()),
      "Shuffles the answers and hides their models until one is chosen.",
    ),
    assistant_id: described(z.optional(z.nullable(name)), "Default: that of the thread."),
    reasoning_effort: described(z.optional(z.nullable(reasoningEffort)), "Default: that of the thread."),
    time_zone: timeZone,
    stream_id: z.optional(streamId),
  })
  .check(
    z.refine((body) => (body.message === undefined) !== (body.parent_id === undefined), {
      path: ["message"],
      message: "give either message (to send) or parent_id (to answer that message again)",
    }),
  );

const oneComparison = z.object({ comparison });

export const comparisonEndpoints = endpoints("visitor", {
  "comparisons.start": {
    request: "POST /v1/threads/{thread_id}/comparisons",
    audit: { none: "own-content" },
    summary: "Let several models answer one message at the same time",
    description:
      "Stores the message, and an answer of each model as siblings. Each answer is a run like any other: it can be followed, stopped and continued. Queued messages wait for a choice. An assistant's fallback model does not answer here.",
    body: comparisonStart,
    bodyBytesMax: limits.jsonBodyBytes,
    isWrite: true,
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
    request: "GET /v1/comparisons/wins",
    summary: "Count how often each model was chosen",
    description: "Of your own comparisons in this workspace that have a choice, the most chosen model first.",
    response: z.object({
      models: z.array(
        z.object({
          model: z.string(),
          wins: described(z.number(), "How often its answer was chosen."),
          comparisons: described(z.number(), "How often it took part."),
        }),
      ),
    }),
  },
  "comparisons.get": {
    request: "GET /v1/comparisons/{comparison_id}",
    members: "read",
    summary: "Get a comparison",
    description: "Its answers and their runs. In a blind one, the models are null until one is chosen.",
    response: oneComparison,
  },
  "comparisons.choose": {
    request: "PUT /v1/comparisons/{comparison_id}",
    audit: { none: "own-content" },
    summary: "Choose an answer",
    description:
      "The thread continues with this answer and its model. The other answers are stopped if they are still being written, and stay as other versions. The first choice counts; repeating it changes nothing.",
    body: z.object({ reply_id: anyId }),
    response: oneComparison,
    errors: ["conflict"],
    example: { body: { reply_id: "$REPLY_ID" } },
  },
});
export type ComparisonWins = z.infer<(typeof comparisonEndpoints)["comparisons.wins"]["response"]>;
