import * as z from "zod/mini";
import type { Json } from "../json.ts";
import { limits } from "../limits.ts";
import {
  anyId,
  jsonObject,
  name,
  printedInstant,
  queryName,
  queryNumber,
  textOf,
  threadParams,
  exampleContent,
  runParams,
} from "./fields.ts";
import { userContent } from "../parts/schemas.ts";
import { queuedMessage } from "./messages.ts";
import type { Endpoints } from "../endpoint.ts";

export const runStates = [
  "queued",
  "running",
  "requires-action",
  "completed",
  "cancelled",
  "failed",
  "interrupted",
] as const;

export const run = z
  .object({
    id: z.string().check(z.describe("The run.")),
    thread_id: z.nullable(z.string()).check(z.describe("The thread that it answers in.")),
    message_id: z.nullable(z.string()).check(z.describe("The message that is answered.")),
    reply_id: z.nullable(z.string()).check(z.describe("The reply that it writes.")),
    state: z
      .enum(runStates)
      .check(
        z.describe(
          "How it stands: the first two are under way, requires-action waits for a person, the rest are ends.",
        ),
      ),
    model: z.nullable(z.string()).check(z.describe("The model that answers.")),
    assistant_id: z.nullable(z.string()).check(z.describe("The assistant that answers.")),
    created_at: printedInstant,
    first_token_at: z.nullable(printedInstant).check(z.describe("When the model said its first word.")),
    ended_at: z.nullable(printedInstant).check(z.describe("When it ended.")),
    finish_reason: z.nullable(z.string()).check(z.describe("Why the model stopped.")),
    error: z
      .nullable(z.object({ code: z.string(), message: z.string() }))
      .check(z.describe("Why it failed.")),
    usage: z
      .object({
        input: z.nullable(z.number()),
        output: z.nullable(z.number()),
        reasoning: z.nullable(z.number()),
        cached: z.nullable(z.number()),
      })
      .check(z.describe("Tokens as the provider counts them; null where it does not say.")),
    last_seq: z.number().check(z.describe("The number of the log's last event so far.")),
  })
  .check(z.meta({ id: "Run", description: "One answer in the making, or made." }));
export type Run = z.infer<typeof run>;

/** Not refused where it is not known here: no message is kept from being sent by the clock of whoever sends it. */
const timeZone = z
  .optional(queryName(limits.timeZoneCharacters))
  .check(
    z.describe(
      "Where the person is, as an IANA time zone such as Europe/Berlin: what today is in the answer. The server's own where it is not said, or not known here.",
    ),
  );

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
    id: z.optional(anyId).check(z.describe("The run's id, minted by you: the same again is the same run.")),
    message: z.optional(
      z.object({
        id: z.optional(anyId),
        parent_id: z.nullable(anyId),
        queue: z
          .optional(z.boolean())
          .check(
            z.describe("Where an answer is being written: wait for one's turn instead of being refused."),
          ),
        content: userContent,
      }),
    ),
    parent_id: z.optional(anyId).check(z.describe("Answer this message again.")),
    reply_id: z
      .optional(anyId)
      .check(
        z.describe(
          "The reply's id, minted by you, so that a screen can show the waiting reply under its final id.",
        ),
      ),
    assistant_id: z
      .optional(z.nullable(name))
      .check(
        z.describe(
          "The assistant that shall answer here from now on; null for the default one. The thread's own where it is not said.",
        ),
      ),
    model: z
      .optional(z.nullable(name))
      .check(
        z.describe(
          "The model that shall answer here from now on; null for the assistant's own. The thread's own where it is not said.",
        ),
      ),
    time_zone: timeZone,
  })
  .check(
    z.refine((body) => (body.message === undefined) !== (body.parent_id === undefined), {
      path: ["message"],
      message: "give either message (to send) or parent_id (to answer that message again)",
    }),
  );
export type RunStart = z.infer<typeof runStart>;

/**
 * Go on with an answer that was broken off, by the assistant and the model that began it; the same `id` again answers the
 * same run.
 */
export const runContinue = z.object({
  id: z.optional(anyId).check(z.describe("The new run's id, minted by you: the same again is the same run.")),
  model: z.optional(name).check(z.describe("The model that shall go on.")),
  time_zone: timeZone,
});

/** Models and their providers mint these ids, so nothing but their size is known. */
const toolCallId = textOf(1, 1_000).check(z.describe("The call, by the id that its part has."));

/** Whether a waiting tool call may be carried out. The same decision again changes nothing. */
export const toolApproval = z.object({
  tool_call_id: toolCallId,
  approved: z.boolean().check(z.describe("Whether it may be carried out.")),
  reason: z
    .optional(textOf(1, limits.reasonCharacters))
    .check(z.describe("Told to the model where it is not allowed.")),
  always: z
    .optional(z.boolean())
    .check(
      z.describe(
        "With `approved`: this tool is not asked about in this thread any more, not for its other waiting calls either. Only in a workspace of one person's own.",
      ),
    ),
});

/** What a person or a page answers a tool call with that has no function on the server. Taken as it came. */
export const toolResult = z.object({
  tool_call_id: toolCallId,
  result: z
    .custom<Json>((value) => value !== undefined, "must be given: any JSON value")
    .check(z.describe("Any JSON value: what the model is told.")),
});

export const runStarted = z
  .object({
    run_id: z.string(),
    message_id: z.string(),
    reply_id: z.string(),
    queued: z
      .optional(queuedMessage)
      .check(z.describe("It waits for its turn: these are the ids that it will have.")),
  })
  .check(z.meta({ id: "RunStarted", description: "What was begun." }));
export type RunStarted = z.infer<typeof runStarted>;

export const eventsQuery = z.object({
  after: z
    .optional(queryNumber(0, Number.MAX_SAFE_INTEGER))
    .check(z.describe("The number of the last event that was seen; from the first on where it is not said.")),
});

/** The protocol's own streamed run: a thread's title, or an assistant's answer that the client itself stores. */
export const runStream = z.object({
  thread_id: anyId.check(z.describe("The thread; unstable_todo where it is not known yet.")),
  assistant_id: z
    .string()
    .check(z.describe("system/thread_title for a title, else the assistant that answers.")),
  messages: z.array(jsonObject).check(z.describe("What has been said, as the client has it.")),
  threadId: z
    .optional(z.nullable(z.string()))
    .check(z.describe("The thread, where thread_id does not name it.")),
  system: z.optional(z.nullable(z.string())).check(z.describe("Added to the assistant's own instructions.")),
  tools: z.optional(z.nullable(jsonObject)).check(z.describe("Tools that the client carries out, by name.")),
  response_format: z.optional(z.string()).check(z.describe("vercel-ai-data-stream/v1.")),
  model: z.optional(z.nullable(z.string())).check(z.describe("The model that shall answer.")),
  time_zone: timeZone,
});
export type RunStream = z.infer<typeof runStream>;

export const runEndpoints = {
  "runs.start": {
    method: "POST",
    path: "/v1/threads/{thread_id}/runs",
    caller: "visitor",
    summary: "Send a message, now (201) or in its turn (202), or answer one again",
    description:
      "With `message` it is stored and answered; with `parent_id` a stored message is answered again, beside the earlier answer. The run goes on whether anyone listens or not. A message below a reply that is still being written waits in the queue of the thread until that has ended. A thread whose id you minted is made here. The thread remembers the assistant and the model that are named. The same ids again are the same run.",
    params: threadParams,
    body: runStart,
    bodyBytesMax: limits.jsonBodyBytes,
    kind: "json",
    status: 201,
    response: runStarted,
    otherSuccess: {
      status: 202,
      description: "An answer is being written there: the message waits, as `queued` tells.",
    },
    errors: [
      "conflict",
      "parent-not-in-thread",
      "model-not-found",
      "assistant-not-found",
      "thread-busy",
      "queue-full",
      "queued-not-found",
      "too-many-runs",
    ],
    example: { body: { message: { parent_id: null, content: exampleContent("What grows in the shade?") } } },
  },
  "runs.get": {
    method: "GET",
    path: "/v1/runs/{run_id}",
    caller: "visitor",
    summary: "Read a run",
    description: "How a run stands, and what it used.",
    params: runParams,
    kind: "json",
    status: 200,
    response: z.object({ run: run }),
  },
  "runs.events": {
    method: "GET",
    path: "/v1/runs/{run_id}/events",
    caller: "visitor",
    summary: "Follow a run's numbered log",
    description:
      "Every event of the run, numbered from 1 without a gap, those of the past first and then as they are made. Whoever lost the connection goes on from the last number, by `after` or by the `Last-Event-ID` header. The stream ends with the run.",
    params: runParams,
    query: eventsQuery,
    kind: "events",
    status: 200,
    streamDescription:
      'Server-sent events: `id` is the number, `data` one JSON event. The first is `run-start`, the last `run-end`; between them the parts of the answer (`text-delta`, `tool-call-start` and so on). `{"type":"reset"}` says that the log is no longer kept: read the message instead.',
    errors: ["too-many-streams"],
  },
  "runs.continue": {
    method: "POST",
    path: "/v1/runs/{run_id}/continue",
    caller: "visitor",
    summary: "Go on with an answer that was broken off, in the same message",
    description:
      "A new run goes on in the same message from what is stored of it. What the model says once more is left out. The assistant and the model that began it go on, whatever the thread has chosen since.",
    params: runParams,
    body: runContinue,
    kind: "json",
    status: 201,
    response: runStarted,
    errors: ["run-not-continuable", "model-not-found", "conflict", "thread-busy", "too-many-runs"],
    example: { body: {} },
  },
  "runs.stop": {
    method: "POST",
    path: "/v1/runs/{run_id}/stop",
    caller: "visitor",
    summary: "Stop a run; what was said is kept",
    description: "Stopping a run that has ended changes nothing.",
    params: runParams,
    kind: "json",
    status: 200,
    response: z.object({ run: run }),
  },
  "runs.approve": {
    method: "POST",
    path: "/v1/runs/{run_id}/approvals",
    caller: "visitor",
    summary: "Allow or deny a tool call that waits for it",
    description:
      "The model is told where a call is not allowed, and why. The first decision counts; the same again changes nothing.",
    params: runParams,
    body: toolApproval,
    bodyBytesMax: limits.formBodyBytes,
    kind: "json",
    status: 200,
    response: z.object({ run: run }),
    errors: [
      "thread-not-found",
      "call-not-found",
      "call-answered",
      "call-not-waiting",
      "run-ended",
      "too-many-runs",
    ],
    example: { body: { tool_call_id: "$TOOL_CALL_ID", approved: true } },
  },
  "runs.giveResult": {
    method: "POST",
    path: "/v1/runs/{run_id}/tool-results",
    caller: "visitor",
    summary: "Answer a tool call that the person or the page answers",
    description: "For tools that a person or a page carries out. The run goes on with it.",
    params: runParams,
    body: toolResult,
    bodyBytesMax: limits.formBodyBytes,
    kind: "json",
    status: 200,
    response: z.object({ run: run }),
    errors: [
      "thread-not-found",
      "call-not-found",
      "call-answered",
      "call-not-waiting",
      "run-ended",
      "too-many-runs",
    ],
    example: { body: { tool_call_id: "$TOOL_CALL_ID", result: { chosen: ["red"] } } },
  },
  "runs.stream": {
    method: "POST",
    path: "/v1/runs/stream",
    caller: "visitor",
    summary: "Stream a thread's title or an assistant's answer",
    description:
      "For clients that store both sides themselves: no message is stored, and the model stops when the caller hangs up. With `system/thread_title` the answer is the bare title, which is kept with the thread where it has none.",
    body: runStream,
    bodyBytesMax: limits.jsonBodyBytes,
    kind: "text",
    status: 200,
    streamDescription:
      "A title is plain text. An answer is a UI message stream (`x-vercel-ai-ui-message-stream: v1`) that ends with `data: [DONE]` where the request has `Accept: text/event-stream` or an `Aui-Sdk` header, as `assistant-cloud` sends it from 0.2 on. Otherwise it is a data stream (`x-vercel-ai-data-stream: v1`), one `code:JSON` on each line.",
    errors: [
      "thread-not-found",
      "assistant-not-found",
      "invalid-response-format",
      "model-not-found",
      "model-not-connected",
      "too-many-runs",
    ],
    example: {
      body: {
        thread_id: "$THREAD_ID",
        assistant_id: "default",
        messages: [exampleContent("What grows in the shade?")],
        response_format: "vercel-ai-data-stream/v1",
      },
    },
  },
} as const satisfies Endpoints;
