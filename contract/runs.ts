import * as z from "zod/mini";
import type { Json } from "./json.ts";
import { limits } from "./limits.ts";
import { anyId, jsonObject, name, printedInstant, queryNumber, textOf } from "./shapes.ts";
import { userContent } from "./messages.ts";
import { queuedMessage } from "./queue.ts";

export const runStates = [
  "queued",
  "running",
  "requires-action",
  "completed",
  "cancelled",
  "failed",
  "interrupted",
] as const;

export const run = z.object({
  id: z.string(),
  thread_id: z.nullable(z.string()),
  message_id: z.nullable(z.string()),
  reply_id: z.nullable(z.string()),
  state: z.enum(runStates),
  model: z.nullable(z.string()),
  assistant_id: z.nullable(z.string()),
  created_at: printedInstant,
  first_token_at: z.nullable(printedInstant),
  ended_at: z.nullable(printedInstant),
  finish_reason: z.nullable(z.string()),
  error: z.nullable(z.object({ code: z.string(), message: z.string() })),
  usage: z.object({
    input: z.nullable(z.number()),
    output: z.nullable(z.number()),
    reasoning: z.nullable(z.number()),
    cached: z.nullable(z.number()),
  }),
  /** The number of the log's last event so far. */
  last_seq: z.number(),
});
export type Run = z.infer<typeof run>;

/**
 * Start a run. With `message` it is stored first, as the child of its `parent_id`: that is sending, and editing when
 * the parent already has children. Without it, the message `parent_id` is answered again.
 *
 * A message below a reply that is being written is queued instead: the answer is 202 and has the entry as `queued`. With
 * `queue` the caller says that it was meant so, also where the reply has ended meanwhile: then it goes to the end of the
 * branch below `parent_id`, behind what waits there, and is sent at once where nothing does.
 */
export const runStart = z
  .object({
    id: z.optional(anyId),
    message: z.optional(
      z.object({
        id: z.optional(anyId),
        parent_id: z.nullable(anyId),
        queue: z.optional(z.boolean()),
        content: userContent,
      }),
    ),
    parent_id: z.optional(anyId),
    /** The reply's id, minted like the others, so that a screen can show the waiting reply under its final id. */
    reply_id: z.optional(anyId),
    assistant_id: z.optional(name),
    model: z.optional(name),
  })
  .check(
    z.refine((body) => (body.message === undefined) !== (body.parent_id === undefined), {
      path: ["message"],
      message: "give either message (to send) or parent_id (to answer that message again)",
    }),
  );
export type RunStart = z.infer<typeof runStart>;

/** Go on with an answer that was broken off; the same `id` again answers the same run. */
export const runContinue = z.object({ id: z.optional(anyId), model: z.optional(name) });

/** Models and their providers mint these ids, so nothing but their size is known. */
const toolCallId = textOf(1, 1_000);

/** Whether a waiting tool call may be carried out. The same decision again changes nothing. */
export const toolApproval = z.object({
  tool_call_id: toolCallId,
  approved: z.boolean(),
  /** Told to the model where it is not allowed. */
  reason: z.optional(textOf(1, limits.reasonCharacters)),
});

/** What a person or a page answers a tool call with that has no function on the server. Taken as it came. */
export const toolResult = z.object({
  tool_call_id: toolCallId,
  result: z.custom<Json>((value) => value !== undefined, "must be given: any JSON value"),
});

export const runStarted = z.object({
  run_id: z.string(),
  message_id: z.string(),
  reply_id: z.string(),
  /** It waits for its turn: these are the ids that it will have. */
  queued: z.optional(queuedMessage),
});
export type RunStarted = z.infer<typeof runStarted>;

export const eventsQuery = z.object({ after: z.optional(queryNumber(0, Number.MAX_SAFE_INTEGER)) });

/** The protocol's own streamed run: a thread's title, or an assistant's answer that the client itself stores. */
export const runStream = z.object({
  thread_id: anyId,
  assistant_id: z.string(),
  messages: z.array(jsonObject),
  threadId: z.optional(z.nullable(z.string())),
  system: z.optional(z.nullable(z.string())),
  tools: z.optional(z.nullable(jsonObject)),
  response_format: z.optional(z.string()),
  model: z.optional(z.nullable(z.string())),
});
export type RunStream = z.infer<typeof runStream>;
