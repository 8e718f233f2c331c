import * as z from "zod/mini";
import { limits } from "../limits.ts";
import { anyId, emptyObject, threadParams, timestamp, writtenText } from "./fields.ts";
import type { Endpoints } from "../endpoint.ts";

/** The text that replaces the oldest messages of a branch in requests to models. */
export const summary = z
  .object({
    message_id: z
      .string()
      .check(
        z.describe(
          "The last message that it covers, whose id is also that of the summary. It covers all above, too.",
        ),
      ),
    text: z.string().check(z.describe("What models read instead of these messages.")),
    message_count: z.number().check(z.describe("How many messages it covers.")),
    model: z.nullable(z.string()).check(z.describe("The model that wrote it.")),
    is_edited: z.boolean().check(z.describe("Whether a person changed the text.")),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .check(z.meta({ id: "Summary", description: "A summary of the oldest messages of a branch." }));
export type Summary = z.infer<typeof summary>;

const summaryCreate = z.object({
  head_id: z
    .optional(anyId)
    .check(z.describe("The branch through this message. Default: the branch that you saw last.")),
});

const summaryUpdate = z.object({
  text: writtenText(limits.summaryCharacters).check(z.describe("The new text.")),
});

/** A summary has the id of the last message that it covers. */
const summaryParams = z.object({ thread_id: anyId, summary_id: anyId });

export const contextKinds = ["instructions", "tools", "summary", "messages", "files"] as const;
export type ContextKind = (typeof contextKinds)[number];

const contextQuery = z.object({
  head: z.optional(anyId).check(z.describe("The branch through this message.")),
  assistant_id: z.optional(anyId).check(z.describe("Default: the assistant of the thread.")),
  model: z.optional(anyId).check(z.describe("Default: the model of the thread.")),
});

export const context = z
  .object({
    model: z.string().check(z.describe("The model that would answer.")),
    budget: z
      .nullable(z.number())
      .check(
        z.describe(
          "How many tokens the next request may have: the model's context without room for the answer. Null for the built-in assistant, which has no limit.",
        ),
      ),
    tokens: z.number().check(z.describe("How many tokens the branch takes now, without the next message.")),
    parts: z
      .array(
        z.object({
          kind: z.enum(contextKinds).check(z.describe("What takes the tokens.")),
          tokens: z.number(),
        }),
      )
      .check(z.describe("What takes them. Parts of 0 tokens are left out.")),
    is_estimate: z
      .boolean()
      .check(
        z.describe("Whether all is estimated. Otherwise the sum is as the provider counted the last answer."),
      ),
    can_compact: z.boolean().check(z.describe("Whether there are messages that a summary could replace.")),
  })
  .check(z.meta({ id: "Context", description: "How much of a model's context a branch takes." }));
export type Context = z.infer<typeof context>;

export const summaryEndpoints = {
  "summaries.list": {
    method: "GET",
    path: "/v1/threads/{thread_id}/summaries",
    caller: "visitor",
    summary: "List the summaries of a thread",
    description:
      "When a branch nears the limit of its model, its oldest messages are summarized after an answer. The messages stay, but models read the summary instead. A branch uses the nearest summary above its end; `messages.branch` returns it. The messages of the hosted protocol have no summaries.",
    params: threadParams,
    kind: "json",
    status: 200,
    response: z.object({ summaries: z.array(summary) }),
  },
  "summaries.create": {
    method: "POST",
    path: "/v1/threads/{thread_id}/summaries",
    caller: "visitor",
    audit: { none: "own-content" },
    summary: "Summarize the oldest messages of a branch now",
    description:
      "Responds when the model has written the summary. It covers all but the last messages. `PARLANCE_SUMMARY_MODEL` chooses the model; by default the model of the thread writes it.",
    params: threadParams,
    body: summaryCreate,
    kind: "json",
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
    method: "PUT",
    path: "/v1/threads/{thread_id}/summaries/{summary_id}",
    caller: "visitor",
    audit: { none: "own-content" },
    summary: "Change a summary",
    description: "Models read the new text from the next message on.",
    params: summaryParams,
    body: summaryUpdate,
    bodyBytesMax: limits.formBodyBytes,
    isWrite: true,
    kind: "json",
    status: 200,
    response: z.object({ summary }),
    example: { body: { text: "Ada grows basil on the balcony. It needs six hours of light." } },
  },
  "summaries.remove": {
    method: "DELETE",
    path: "/v1/threads/{thread_id}/summaries/{summary_id}",
    caller: "visitor",
    audit: { none: "own-content" },
    summary: "Remove a summary",
    description:
      "Models read the messages themselves again, or the summary before. The server summarizes the branch again only when it no longer fits.",
    params: summaryParams,
    kind: "json",
    status: 200,
    response: emptyObject,
  },
  "threads.context": {
    method: "GET",
    path: "/v1/threads/{thread_id}/context",
    caller: "visitor",
    summary: "See how much of the model's context a branch takes",
    description:
      "The tokens of the instructions, tools, summary, messages and files that the next answer's request has, and the budget of the model.",
    params: threadParams,
    query: contextQuery,
    kind: "json",
    status: 200,
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
} as const satisfies Endpoints;
