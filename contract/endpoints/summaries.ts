import * as z from "zod/mini";
import { limits } from "../limits.ts";
import { anyId, described, namedObject, timestamp, writtenText } from "./fields.ts";
import { endpoints } from "./endpoints.ts";

/** The text that replaces the oldest messages of a branch in requests to models. */
export const summary = namedObject("Summary", "A summary of the oldest messages of a branch.", {
  message_id: described(
    z.string(),
    "The last message that it covers, whose id is also that of the summary. It covers all above, too.",
  ),
  text: described(z.string(), "What models read instead of these messages."),
  message_count: described(z.number(), "How many messages it covers."),
  model: described(z.nullable(z.string()), "The model that wrote it."),
  is_edited: described(z.boolean(), "Whether a person changed the text."),
  created_at: timestamp,
  updated_at: timestamp,
});
export type Summary = z.infer<typeof summary>;

const summaryCreate = z.object({
  head_id: described(
    z.optional(anyId),
    "The branch through this message. Default: the branch that you saw last.",
  ),
});

const summaryUpdate = z.object({
  text: described(writtenText(limits.summaryCharacters), "The new text."),
});

export const contextKinds = ["instructions", "tools", "summary", "messages", "files"] as const;
export type ContextKind = (typeof contextKinds)[number];

const contextQuery = z.object({
  head: described(z.optional(anyId), "The branch through this message."),
  assistant_id: described(z.optional(anyId), "Default: the assistant of the thread."),
  model: described(z.optional(anyId), "Default: the model of the thread."),
});

export const context = namedObject("Context", "How much of a model's context a branch takes.", {
  model: described(z.string(), "The model that would answer."),
  budget: described(
    z.nullable(z.number()),
    "How many tokens the next request may have: the model's context without room for the answer. Null for the built-in assistant, which has no limit.",
  ),
  tokens: described(z.number(), "How many tokens the branch takes now, without the next message."),
  parts: described(
    z.array(
      z.object({
        kind: described(z.enum(contextKinds), "What takes the tokens."),
        tokens: z.number(),
      }),
    ),
    "What takes them. Parts of 0 tokens are left out.",
  ),
  is_estimate: described(
    z.boolean(),
    "Whether all is estimated. Otherwise the sum is as the provider counted the last answer.",
  ),
  can_compact: described(z.boolean(), "Whether there are messages that a summary could replace."),
});
export type Context = z.infer<typeof context>;

export const summaryEndpoints = endpoints("visitor", {
  "summaries.list": {
    request: "GET /v1/threads/{thread_id}/summaries",
    summary: "List the summaries of a thread",
    description:
      "When a branch nears the limit of its model, its oldest messages are summarized after an answer. The messages stay, but models read the summary instead. A branch uses the nearest summary above its end; `messages.branch` returns it. The messages of the hosted protocol have no summaries.",
    response: z.object({ summaries: z.array(summary) }),
  },
  "summaries.create": {
    request: "POST /v1/threads/{thread_id}/summaries",
    audit: { none: "own-content" },
    summary: "Summarize the oldest messages of a branch now",
    description:
      "Responds when the model has written the summary. It covers all but the last messages. `PARLANCE_SUMMARY_MODEL` chooses the model; by default the model of the thread writes it.",
    body: summaryCreate,
    status: 201,
    response: z.object({ summary }),
    errors: [
      "message-not-found",
      "nothing-to-summarize",
      "summary-failed",
      "thread-busy",
      "shutting-down",
      "model-not-allowed",
      "assistant-not-allowed",
      "model-not-local",
      "budget-used",
      "budget-wait",
    ],
    example: { body: {} },
  },
  "summaries.update": {
    request: "PUT /v1/threads/{thread_id}/summaries/{summary_id}",
    audit: { none: "own-content" },
    summary: "Change a summary",
    description: "Models read the new text from the next message on.",
    body: summaryUpdate,
    bodyBytesMax: limits.formBodyBytes,
    isWrite: true,
    response: z.object({ summary }),
    example: { body: { text: "Ada grows basil on the balcony. It needs six hours of light." } },
  },
  "summaries.remove": {
    request: "DELETE /v1/threads/{thread_id}/summaries/{summary_id}",
    audit: { none: "own-content" },
    summary: "Remove a summary",
    description:
      "Models read the messages themselves again, or the summary before. The server summarizes the branch again only when it no longer fits.",
  },
  "threads.context": {
    request: "GET /v1/threads/{thread_id}/context",
    summary: "See how much of the model's context a branch takes",
    description:
      "The tokens of the instructions, tools, summary, messages and files that the next answer's request has, and the budget of the model.",
    query: contextQuery,
    response: context,
    errors: [
      "message-not-found",
      "model-not-found",
      "assistant-not-found",
      "model-not-allowed",
      "assistant-not-allowed",
      "model-not-local",
    ],
  },
});
