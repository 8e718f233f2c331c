import * as z from "zod/mini";
import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import { limits } from "../limits.ts";
import {
  anyId,
  described,
  exampleContent,
  name,
  namedObject,
  queryName,
  queryNumber,
  textOf,
  timestamp,
} from "./fields.ts";
import { userContent } from "../parts/schemas.ts";
import { streamId } from "./live.ts";
import { queuedMessage } from "./messages.ts";
import { reasoningEffort } from "./models.ts";
import { endpoints } from "./endpoints.ts";

const runStates = ["running", "requires-action", "completed", "cancelled", "failed", "interrupted"] as const;

export const run = namedObject("Run", "The generation of one answer.", {
  id: described(z.string(), "The run's id."),
  thread_id: described(z.nullable(z.string()), "The thread of its reply."),
  message_id: described(z.nullable(z.string()), "The message that it answers."),
  reply_id: described(z.nullable(z.string()), "The reply that it writes."),
  state: described(
    z.enum(runStates),
    "running is in progress, requires-action waits for a person, the others are final.",
  ),
  model: described(z.nullable(z.string()), "The model that writes the answer."),
  assistant_id: described(z.nullable(z.string()), "The assistant that writes the answer."),
  created_at: timestamp,
  first_token_at: described(z.nullable(timestamp), "When the model sent its first token."),
  ended_at: described(z.nullable(timestamp), "When it ended."),
  finish_reason: described(z.nullable(z.string()), "Why the model stopped."),
  error: described(z.nullable(z.object({ code: z.string(), message: z.string() })), "Why it failed."),
  usage: described(
    z.object({
      input: z.nullable(z.number()),
      output: z.nullable(z.number()),
      reasoning: z.nullable(z.number()),
      cached: z.nullable(z.number()),
    }),
    "Tokens as counted by the provider; null if unknown, and while a blind comparison hides the model.",
  ),
  last_seq: described(z.number(), "The number of the last event in its log."),
});
export type Run = z.infer<typeof run>;

/** Unknown names are accepted, so that a client's clock settings never prevent sending. */
export const timeZone = described(
  z.optional(queryName(limits.timeZoneCharacters)),
  "The person's IANA time zone, such as Europe/Berlin, which decides the current date in the answer. Unknown names count as absent. Default: the server's time zone.",
);

/**
 * Starts a run. With `message`, the message is stored first, as a child of its `parent_id` (sending; editing if the parent
 * already has children). Without it, the message `parent_id` is answered again.
 *
 * A message below a reply in progress is queued instead: the response has status 202 and the entry in `queued`. With `queue`
 * the message goes to the end of the branch below `parent_id`, behind queued messages, even if the reply has ended meanwhile.
 * If nothing is in progress or queued there, it is sent immediately.
 */
const runStart = z
  .object({
    id: described(
      z.optional(anyId),
      "An id for the run that you created. Repeating the request returns the same run.",
    ),
    message: z.optional(
      z.object({
        id: z.optional(anyId),
        parent_id: z.nullable(anyId),
        queue: described(
          z.optional(z.boolean()),
          "If an answer is being written, queue the message instead of returning an error.",
        ),
        content: userContent,
      }),
    ),
    temporary: described(
      z.optional(z.boolean()),
      "If this creates the thread: make it temporary. It is in no list, search, export or backup, gets no title, and is erased 45 minutes after the last `open` (see `PUT /v1/threads/{thread_id}`).",
    ),
    folder_id: described(
      z.optional(anyId),
      "If this creates the thread: its folder. One that is gone is ignored.",
    ),
    parent_id: described(z.optional(anyId), "The message to answer again."),
    reply_id: described(
      z.optional(anyId),
      "An id for the reply that you created, so that a UI can show the pending reply under its final id.",
    ),
    assistant_id: described(
      z.optional(z.nullable(name)),
      "The assistant of the thread from now on; null for the default one. Default: the thread's current assistant.",
    ),
    model: described(
      z.optional(z.nullable(name)),
      "The model of the thread from now on; null for the assistant's model. Default: the thread's current model.",
    ),
    reasoning_effort: described(
      z.optional(z.nullable(reasoningEffort)),
      "How hard the models of the thread think from now on; null for the assistant's choice. Default: as now. A model without this setting ignores it.",
    ),
    remember: described(
      z.optional(z.boolean()),
      "Whether the thread remembers the assistant, the model and the reasoning effort of this request. Default: true. With false they count for this answer only.",
    ),
    time_zone: timeZone,
    stream_id: described(
      z.optional(streamId),
      "The id of your `/v1/live` stream. It then has the events of the run from the first one. Ignored for a message that is queued.",
    ),
  })
  .check(
    z.refine((body) => (body.message === undefined) !== (body.parent_id === undefined), {
      path: ["message"],
      message: "give either message (to send) or parent_id (to answer that message again)",
    }),
  );

/** Continues an incomplete answer with its own assistant and model. The same `id` again returns the same run. */
const runContinue = z.object({
  id: described(
    z.optional(anyId),
    "An id for the new run that you created. Repeating the request returns the same run.",
  ),
  model: described(z.optional(name), "The model that continues the answer."),
  time_zone: timeZone,
});

/** Providers create these ids, so only their length is checked. */
const toolCallId = described(textOf(1, 1_000), "The `toolCallId` of the call's part.");

/** Allows or denies a waiting tool call. Repeating the same decision changes nothing. */
const toolApproval = z.object({
  tool_call_id: toolCallId,
  approved: described(z.boolean(), "Whether the call may run."),
  reason: described(
    z.optional(textOf(1, limits.reasonCharacters)),
    "Sent to the model if the call is denied.",
  ),
  remember: described(
    z.optional(z.enum(["chat", "always"])),
    "With `approved`: allow this tool from now on, as it is now, including its other waiting calls: in this thread (`chat`; only in a workspace with a single person), or in all of your threads (`always`; only for users of the web app). An administrator's rule to ask still counts.",
  ),
  args: described(
    z.optional(z.custom<JsonObject>(isJsonObject, "must be an object")),
    "With `approved`: the arguments, changed. They must match the schema of the tool. The result for the model says that they were changed.",
  ),
});

/** The result of a tool call that a person or a page carries out. Stored as it was sent. */
const toolResult = z.object({
  tool_call_id: toolCallId,
  result: described(
    z.custom<Json>((value) => value !== undefined, "must be given: any JSON value"),
    "Any JSON value. The model gets it as the result.",
  ),
});

export const runStarted = namedObject(
  "RunStarted",
  "The run that was started, or the message that was queued.",
  {
    run_id: z.string(),
    message_id: z.string(),
    reply_id: z.string(),
    queued: described(
      z.optional(queuedMessage),
      "Present if the message was queued. It will get these ids when it is sent.",
    ),
  },
);
export type RunStarted = z.infer<typeof runStarted>;

const eventsQuery = z.object({
  after: described(
    z.optional(queryNumber(0, Number.MAX_SAFE_INTEGER)),
    "The number of the last received event. Default: 0, so the stream starts with the first event.",
  ),
});

/** Why a message is not stored and answered. */
export const messageErrors = [
  "conflict",
  "parent-not-in-thread",
  "model-not-found",
  "model-not-allowed",
  "assistant-not-allowed",
  "model-not-local",
  "assistant-not-found",
  "budget-used",
  "budget-wait",
  "thread-busy",
  "too-many-runs",
  "shutting-down",
  "quota-full",
  "member-quota-full",
] as const;

/** Why a tool call does not get a person's answer. */
const toolCallErrors = [
  "thread-not-found",
  "call-not-found",
  "call-answered",
  "call-not-yours",
  "call-not-waiting",
  "run-ended",
  "budget-used",
  "budget-wait",
  "too-many-runs",
  "shutting-down",
] as const;

export const runEndpoints = endpoints("visitor", {
  "runs.start": {
    request: "POST /v1/threads/{thread_id}/runs",
    members: "write",
    audit: { none: "own-content" },
    summary: "Send or queue a message, or answer one again",
    description:
      "With `message`, the message is stored and answered. With `parent_id`, a stored message is answered again, on a new branch. The run continues even if no client follows it. A message below a reply that is still being written waits in the thread's queue until that reply has ended. If the thread does not exist and you created its id, the thread is created. The thread remembers the given assistant and model, unless `remember` is false. Repeating a request with the same ids returns the same run.",
    body: runStart,
    bodyBytesMax: limits.jsonBodyBytes,
    isWrite: true,
    status: 201,
    response: runStarted,
    otherSuccess: {
      status: 202,
      description: "An answer is being written, so the message was queued; see `queued`.",
    },
    errors: [...messageErrors, "queue-full", "queued-not-found"],
    example: {
      body: { message: { parent_id: null, content: exampleContent("What grows in the shade?") } },
    },
  },
  "runs.get": {
    request: "GET /v1/runs/{run_id}",
    members: "read",
    summary: "Get a run",
    description: "The state of a run and its usage.",
    response: z.object({ run }),
  },
  "runs.events": {
    request: "GET /v1/runs/{run_id}/events",
    members: "read",
    summary: "Follow the events of a run",
    description:
      "All events of the run, numbered from 1 without gaps: first the stored ones, then new ones as they happen. After a lost connection, continue from the last number with `after` or the `Last-Event-ID` header. The stream ends with the run.",
    query: eventsQuery,
    kind: "events",
    streamDescription:
      'Server-sent events: `id` is the number, `data` one JSON event. The first is `run-start`, the last `run-end`; between them are the parts of the answer (`text-delta`, `tool-call-start` and so on). `{"type":"reset"}` means that the log is no longer stored: read the message instead.',
    errors: ["too-many-streams"],
  },
  "runs.continue": {
    request: "POST /v1/runs/{run_id}/continue",
    members: "write",
    audit: { none: "own-content" },
    summary: "Continue an incomplete answer in the same message",
    description:
      "A new run continues the stored text of the same message. Text that the model repeats is removed. The run uses the assistant and the model of the first run, even if the thread has others now.",
    body: runContinue,
    isWrite: true,
    status: 201,
    response: runStarted,
    errors: [
      "run-not-continuable",
      "model-not-found",
      "model-not-allowed",
      "assistant-not-allowed",
      "model-not-local",
      "budget-used",
      "budget-wait",
      "conflict",
      "thread-busy",
      "too-many-runs",
      "shutting-down",
      "quota-full",
      "member-quota-full",
    ],
    example: { body: {} },
  },
  "runs.stop": {
    request: "POST /v1/runs/{run_id}/stop",
    members: "write",
    audit: { none: "own-content" },
    summary: "Stop a run and keep its text",
    description: "Stopping an ended run changes nothing.",
    response: z.object({ run }),
  },
  "runs.approve": {
    request: "POST /v1/runs/{run_id}/approvals",
    members: "write",
    audit: { none: "own-content" },
    summary: "Allow or deny a waiting tool call",
    description:
      "If the call is denied, the model gets the reason. The first decision counts; repeating it changes nothing.",
    body: toolApproval,
    bodyBytesMax: limits.formBodyBytes,
    response: z.object({ run }),
    errors: toolCallErrors,
    example: { body: { tool_call_id: "$TOOL_CALL_ID", approved: true } },
  },
  "runs.giveResult": {
    request: "POST /v1/runs/{run_id}/tool-results",
    members: "write",
    audit: { none: "own-content" },
    summary: "Send the result of a tool call that a person or a page carries out",
    description: "For tools without a function on the server. The run continues with the result.",
    body: toolResult,
    bodyBytesMax: limits.formBodyBytes,
    isWrite: true,
    response: z.object({ run }),
    errors: toolCallErrors,
    example: { body: { tool_call_id: "$TOOL_CALL_ID", result: { chosen: ["red"] } } },
  },
});
