import * as z from "zod/mini";
import { limits } from "../limits.ts";
import {
  anyId,
  described,
  instant,
  namedObject,
  queryName,
  queryNumber,
  shortId,
  textOf,
  timestamp,
} from "./fields.ts";
import { endpoints } from "./endpoints.ts";

export const scoreTypes = ["numeric", "categorical", "boolean"] as const;

/** The author: a person (by a rating, or with an access token), or a program with an API key. */
const scoreSources = ["end_user", "api"] as const;

const comment = textOf(1, limits.commentCharacters);

const scoreName = textOf(1, 64).check(
  z.refine((name) => /^[A-Za-z0-9_.-]+$/.test(name), "must have letters, digits, _, . and - only"),
);

/** A named score of one thread, message or run. A new score with the same name by the same author replaces it. */
export const scoreCreate = z
  .object({
    name: scoreName,
    data_type: z.enum(scoreTypes, "must be numeric, categorical or boolean"),
    value: z.optional(z.union([z.number(), z.boolean()], "must be a number, true or false")),
    string_value: z.optional(textOf(1, limits.nameCharacters)),
    comment: z.optional(z.nullable(comment)),
    thread_id: z.optional(shortId),
    message_id: z.optional(shortId),
    run_id: z.optional(shortId),
  })
  .check(
    z.refine((score) => score.data_type !== "numeric" || typeof score.value === "number", {
      path: ["value"],
      message: "value is required for numeric scores",
    }),
    z.refine((score) => score.data_type !== "boolean" || [true, false, 1, 0].includes(score.value as never), {
      path: ["value"],
      message: "boolean scores require value to be true, false, 1, or 0",
    }),
    z.refine((score) => score.data_type !== "categorical" || score.string_value !== undefined, {
      path: ["string_value"],
      message: "string_value is required for categorical scores",
    }),
    z.refine((score) => score.data_type !== "categorical" || score.value === undefined, {
      path: ["value"],
      message: "categorical scores cannot include value",
    }),
    z.refine((score) => score.data_type === "categorical" || score.string_value === undefined, {
      path: ["string_value"],
      message: "only categorical scores can include string_value",
    }),
    z.refine(
      (score) =>
        score.thread_id !== undefined || score.message_id !== undefined || score.run_id !== undefined,
      {
        path: ["thread_id"],
        message: "a score must target a message, run, or thread",
      },
    ),
    z.refine(
      (score) =>
        score.run_id === undefined || (score.thread_id === undefined && score.message_id === undefined),
      {
        path: ["run_id"],
        message: "a score must target exactly one message, run, or thread",
      },
    ),
    z.refine(
      (score) =>
        score.message_id === undefined || score.thread_id !== undefined || score.run_id !== undefined,
      {
        path: ["thread_id"],
        message: "a score of a message must also have its thread_id",
      },
    ),
  );

/** The value of a boolean is 1 or 0, because clients of the hosted protocol reject `true`. */
export const scoreResponse = z.object({
  score_id: described(z.string(), "The score's id."),
  name: z.string(),
  data_type: z.enum(scoreTypes),
  value: described(z.nullable(z.number()), "A number; 1 or 0 for booleans."),
  string_value: described(
    z.nullable(z.string()),
    "The category of a categorical score; the reason of a bad rating.",
  ),
});
export type ScoreResponse = z.infer<typeof scoreResponse>;

export const feedbackTypes = ["positive", "negative"] as const;
export type FeedbackType = (typeof feedbackTypes)[number];

/** Why an answer is bad. */
export const feedbackReasons = ["not-correct", "not-asked", "too-long", "style", "unsafe", "other"] as const;
export type FeedbackReason = (typeof feedbackReasons)[number];

/** A person's rating of a message, stored as the boolean score `feedback`. Its `string_value` is the reason. */
export const feedbackCreate = z
  .object({
    type: z.enum(feedbackTypes, "must be positive or negative"),
    reason: described(
      z.optional(z.nullable(z.enum(feedbackReasons, `must be one of ${feedbackReasons.join(", ")}`))),
      "Why an answer is bad. With a reason or null, the comment is replaced too; without this field, the reason and the comment stay as long as the type does.",
    ),
    comment: z.optional(
      z.nullable(
        z.pipe(
          z.pipe(
            z.string(),
            z.transform((text) => text.trim()),
          ),
          comment,
        ),
      ),
    ),
  })
  .check(
    z.refine(({ type, reason }) => type === "negative" || reason == null, {
      path: ["reason"],
      message: "only a negative rating can have a reason",
    }),
  );

export const feedback = z.object({
  feedback_id: described(z.string(), "The id of its score."),
  type: described(z.enum(feedbackTypes), "Up or down."),
  reason: described(z.nullable(z.enum(feedbackReasons)), "Why the answer is bad."),
  comment: described(z.nullable(z.string()), "The comment."),
});
export type Feedback = z.infer<typeof feedback>;

export const score = namedObject("Score", "A score of a thread, message or run.", {
  id: z.string(),
  thread_id: z.nullable(z.string()),
  message_id: z.nullable(z.string()),
  run_id: z.nullable(z.string()),
  name: z.string(),
  data_type: z.enum(scoreTypes),
  value: z.nullable(z.number()),
  string_value: z.nullable(z.string()),
  source: described(z.enum(scoreSources), "end_user: a person; api: a program with an API key."),
  author_id: described(z.string(), "The author."),
  comment: z.nullable(z.string()),
  created_at: timestamp,
  updated_at: timestamp,
});
export type Score = z.infer<typeof score>;

export const scoreListQuery = z.object({
  name: described(z.optional(queryName(64)), "Only scores with this name."),
  thread_id: described(z.optional(shortId), "Only scores of this thread."),
  run_id: described(z.optional(shortId), "Only scores of this run."),
  since: described(z.optional(instant), "Only scores changed since this time."),
  limit: described(
    z.optional(queryNumber(1, limits.scorePageMax)),
    `Page size. Default: ${limits.scorePage}.`,
  ),
  after: described(z.optional(anyId), "The id of the last score of the previous page."),
});

export const scoreEndpoints = endpoints("visitor", {
  "scores.put": {
    request: "POST /v1/scores",
    audit: { none: "own-content" },
    summary: "Score a thread, a message or a run",
    description:
      "A number, a category or a boolean with a name of your choice, for one run, one thread, or one message of a thread. A new score with the same name by the same author replaces it. Booleans are returned as 1 or 0.",
    body: scoreCreate,
    bodyBytesMax: limits.formBodyBytes,
    status: 201,
    response: scoreResponse,
    errors: ["thread-not-found", "message-not-in-thread", "run-not-found"],
    example: { body: { run_id: "$RUN_ID", name: "quality", data_type: "numeric", value: 0.9 } },
  },
});
