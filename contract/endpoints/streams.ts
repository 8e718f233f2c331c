import * as z from "zod/mini";
import { endpoints } from "./endpoints.ts";
import { limits } from "../limits.ts";
import { anyId, described, exampleContent, jsonObject, name } from "./fields.ts";
import { timeZone } from "./runs.ts";

/** A streamed run of the hosted protocol: a thread title, or an answer that the client stores itself. */
const runStream = z.object({
  thread_id: described(anyId, "The thread, or unstable_todo if it is not known yet."),
  assistant_id: described(
    z.string(),
    "system/thread_title for a title, otherwise the assistant that answers.",
  ),
  messages: described(z.array(jsonObject), "The conversation, as the client has it."),
  threadId: described(z.optional(z.nullable(z.string())), "The thread, if thread_id does not name it."),
  system: described(z.optional(z.nullable(z.string())), "Appended to the assistant's instructions."),
  tools: described(z.optional(z.nullable(jsonObject)), "Tools that the client runs, by name."),
  response_format: described(z.optional(z.string()), "vercel-ai-data-stream/v1."),
  model: described(z.optional(z.nullable(z.string())), "The model that answers."),
  time_zone: timeZone,
  reply_external_id: described(
    z.optional(z.nullable(name)),
    "With `resumable`: the external_id with which the client stores the answer, if it begins empty. Default: the id in the stream, unless the last of `messages` is an answer, which this one continues. If the client holds a lease of that message and is gone when the answer is complete, the server stores it.",
  ),
  resumable: described(
    z.optional(z.boolean()),
    "The run continues when the client disconnects, until it is stopped. The response has its id in `x-resumable-stream-id`.",
  ),
});

export const streamEndpoints = endpoints("visitor", {
  "runs.stream": {
    request: "POST /v1/runs/stream",
    audit: { none: "own-content" },
    summary: "Stream a thread title or an answer",
    description:
      "For clients that store messages themselves: the server stores no message of its own, and the model stops when the client disconnects, unless the run is `resumable`. With `system/thread_title` the response is the title, which is saved if the thread has none.",
    body: runStream,
    bodyBytesMax: limits.jsonBodyBytes,
    kind: "text",
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
    request: "GET /v1/runs/{run_id}/stream",
    summary: "Follow a run as a UI message stream",
    description:
      "The answer of a `resumable` run from its beginning, while it is written and for some time after its end. A page that was reloaded or lost its connection reads it.",
    kind: "text",
    streamDescription:
      "A UI message stream (`x-vercel-ai-ui-message-stream: v1`) that ends with `data: [DONE]`. Reading it again gives the same chunks, but `start` has the id of the message in which a client already stores the answer. While the model is silent, a comment is sent every 15 seconds.",
  },
});
