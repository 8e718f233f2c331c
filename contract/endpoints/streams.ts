import * as z from "zod/mini";
import type { Endpoints } from "../endpoint.ts";
import { limits } from "../limits.ts";
import { anyId, exampleContent, jsonObject, name, runParams } from "./fields.ts";
import { timeZone } from "./runs.ts";

/** A streamed run of the hosted protocol: a thread title, or an answer that the client stores itself. */
const runStream = z.object({
  thread_id: anyId.check(z.describe("The thread, or unstable_todo if it is not known yet.")),
  assistant_id: z
    .string()
    .check(z.describe("system/thread_title for a title, otherwise the assistant that answers.")),
  messages: z.array(jsonObject).check(z.describe("The conversation, as the client has it.")),
  threadId: z
    .optional(z.nullable(z.string()))
    .check(z.describe("The thread, if thread_id does not name it.")),
  system: z.optional(z.nullable(z.string())).check(z.describe("Appended to the assistant's instructions.")),
  tools: z.optional(z.nullable(jsonObject)).check(z.describe("Tools that the client runs, by name.")),
  response_format: z.optional(z.string()).check(z.describe("vercel-ai-data-stream/v1.")),
  model: z.optional(z.nullable(z.string())).check(z.describe("The model that answers.")),
  time_zone: timeZone,
  reply_external_id: z
    .optional(z.nullable(name))
    .check(
      z.describe(
        "With `resumable`: the external_id with which the client stores the answer, if it begins empty. Default: the id in the stream, unless the last of `messages` is an answer, which this one continues. If the client holds a lease of that message and is gone when the answer is complete, the server stores it.",
      ),
    ),
  resumable: z
    .optional(z.boolean())
    .check(
      z.describe(
        "The run continues when the client disconnects, until it is stopped. The response has its id in `x-resumable-stream-id`.",
      ),
    ),
});

export const streamEndpoints = {
  "runs.stream": {
    method: "POST",
    path: "/v1/runs/stream",
    caller: "visitor",
    audit: { none: "own-content" },
    summary: "Stream a thread title or an answer",
    description:
      "For clients that store messages themselves: the server stores no message of its own, and the model stops when the client disconnects, unless the run is `resumable`. With `system/thread_title` the response is the title, which is saved if the thread has none.",
    body: runStream,
    bodyBytesMax: limits.jsonBodyBytes,
    kind: "text",
    status: 200,
    streamDescription:
      "A title is plain text. An answer is a UI message stream (`x-vercel-ai-ui-message-stream: v1`) that ends with `data: [DONE]`, if the request has `Accept: text/event-stream` or an `Aui-Sdk` header (`assistant-cloud` sends one since version 0.2). Otherwise it is a data stream (`x-vercel-ai-data-stream: v1`) with one `code:JSON` per line. While the model is silent, a comment (`:`) or an empty data line (`2:[]`) is sent every 15 seconds.",
    errors: [
      "thread-not-found",
      "assistant-not-found",
      "invalid-response-format",
      "model-not-found",
      "model-not-allowed",
      "assistant-not-allowed",
      "model-not-local",
      "budget-used",
      "budget-wait",
      "too-many-runs",
      "shutting-down",
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
  "runs.resume": {
    method: "GET",
    path: "/v1/runs/{run_id}/stream",
    caller: "visitor",
    summary: "Follow a run as a UI message stream",
    description:
      "The answer of a `resumable` run from its beginning, while it is written and for some time after its end. A page that was reloaded or lost its connection reads it.",
    params: runParams,
    kind: "text",
    status: 200,
    streamDescription:
      "A UI message stream (`x-vercel-ai-ui-message-stream: v1`) that ends with `data: [DONE]`. Reading it again gives the same chunks. While the model is silent, a comment is sent every 15 seconds.",
  },
} as const satisfies Endpoints;
