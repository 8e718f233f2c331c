import * as z from "zod/mini";
import { limits } from "../limits.ts";
import {
  anyId,
  described,
  exampleContent,
  jsonObject,
  name,
  namedObject,
  queryFlag,
  queryNumber,
  timestamp,
} from "./fields.ts";
import { grantedLease, holdersLease, messageRun, openRun } from "./client-leases.ts";
import { runNoteKinds } from "../run-events.ts";
import { feedbackTypes, feedbackReasons, feedbackCreate, feedback } from "./scores.ts";
import { summary } from "./summaries.ts";
import { asker } from "./thread-members.ts";
import { endpoints } from "./endpoints.ts";

export const roles = ["user", "assistant", "system"] as const;
export type Role = (typeof roles)[number];

/** The status of a message. It takes precedence over the `status` inside stored content. */
export const messageStatus = z.object({
  type: described(
    z.enum(["running", "complete", "incomplete", "requires-action"]),
    "The state of the message.",
  ),
  reason: described(
    z.nullable(z.string()),
    "If incomplete: cancelled, length, content-filter, error or interrupted; elsewhere while a client of the protocol writes the answer.",
  ),
  error_code: described(z.nullable(z.string()), "If incomplete because of an error: its code."),
});
export type MessageStatus = z.infer<typeof messageStatus>;

/** A message in the hosted protocol. */
export const message = namedObject("Message", "One message of a thread.", {
  id: described(z.string(), "The message's id."),
  parent_id: described(z.nullable(z.string()), "The message before it; null at the top of the thread."),
  external_id: described(z.nullable(z.string()), "An id that your application set."),
  height: described(z.number(), "The number of messages above it on its branch."),
  created_at: timestamp,
  updated_at: timestamp,
  format: described(z.string(), "The format of content: aui/v0, ai-sdk/v6 or another."),
  content: described(z.record(z.string(), z.unknown()), "The content, exactly as it was stored."),
  run: described(
    z.optional(messageRun),
    "Of an answer that a client stored with a lease, or that a run of this server is writing. The `status` in content does not change with it.",
  ),
});
export type Message = z.infer<typeof message>;

const messageCreate = z.object({
  parent_id: described(
    z.nullable(z.string()),
    "The message before it; null starts the thread, or a new branch at its top. Another message's external_id is accepted too; any other id that does not begin with msg_ counts as null.",
  ),
  format: described(name, "The format of content: aui/v0, ai-sdk/v6 or a name of your own."),
  content: described(jsonObject, "Any JSON object of up to 8 MiB, stored exactly."),
  external_id: described(
    z.optional(z.nullable(name)),
    "An id of your own, or the id of a message. If the thread has such a message, that message is updated instead.",
  ),
  parent_external_id: described(
    z.optional(z.nullable(name)),
    "The parent by your own id, or by its id. Takes precedence over parent_id.",
  ),
  open_run: openRun,
  lease_id: holdersLease,
});

const messageUpdate = z.object({ content: jsonObject, lease_id: holdersLease });

const messageAddQuery = z.object({
  title: described(
    z.optional(queryFlag),
    "If false, an answer does not make the server ask the model for the thread's title. For copies of conversations.",
  ),
});

export const messageListQuery = z.object({
  format: described(z.optional(name), "Convert messages to this format if possible."),
  limit: described(
    z.optional(queryNumber(1, limits.messagePageMax)),
    `Page size. Default: ${limits.messagePage}. A shorter page is the last one.`,
  ),
  after: described(
    z.optional(anyId),
    "The id of the last message of the previous page. An unknown id starts with the first page.",
  ),
});

/** The assistant and the model that wrote an answer. */
export const answeredBy = namedObject("Maker", "The assistant and the model that wrote an answer.", {
  assistant_id: described(z.nullable(z.string()), "The assistant that answered. It may have been deleted."),
  assistant_name: described(z.nullable(z.string()), "Its name; null for an unknown assistant."),
  model: described(z.nullable(z.string()), "The model that answered."),
  notes: described(
    z.array(
      z.object({
        kind: described(
          z.enum(runNoteKinds),
          "assistant-gone, model-gone: the chosen one no longer exists, so another one answered. model-failed: the chosen one failed, so the fallback model of the assistant answered. setting-left-out: the model does not support the setting. continued: the server restarted, and the model was asked to continue its text. results-left-out, messages-left-out: the model had no room for the oldest tool results and files, or for the oldest messages. tools-not-allowed: the person may not use these tools of the assistant. tools-unavailable: the tools of this source or server cannot be used now. tools-not-local: nothing may leave the network here, so these tools were not used.",
        ),
        name: described(z.string(), "The name of the assistant, model or setting; empty if there is none."),
      }),
    ),
    "How the answer differs from what was chosen.",
  ),
  comparison_id: described(
    z.optional(z.string()),
    "The comparison that it belongs to, until one of its answers is chosen.",
  ),
});
export type AnsweredBy = z.infer<typeof answeredBy>;

/** A message of the visible branch: the hosted protocol's message and more fields for the web app. */
export const branchMessage = z
  .extend(message, {
    role: described(z.enum(roles), "The role of its author."),
    status: described(messageStatus, "Its status."),
    run_id: described(
      z.nullable(z.string()),
      "The run that writes or wrote it; null for messages that clients stored.",
    ),
    siblings: described(
      z.array(z.string()),
      "All children of its parent, including itself, oldest first; empty if it is the only one.",
    ),
    made_by: described(
      z.nullable(answeredBy),
      "For answers of this server and imported ones: the assistant and the model. Otherwise null.",
    ),
    asked_by: described(
      z.optional(asker),
      "Of a message that another person of this server wrote in a shared thread.",
    ),
    is_pinned: described(
      z.boolean(),
      "Models read it in full, however long the thread is. Of an import with more pinned messages than people can pin, they read the first ones in full.",
    ),
    feedback: described(z.nullable(z.enum(feedbackTypes)), "The caller's own rating."),
    feedback_reason: described(z.nullable(z.enum(feedbackReasons)), "Why the caller rated it negative."),
    feedback_comment: described(z.nullable(z.string()), "The caller's comment on it."),
  })
  .check(
    z.meta({
      id: "BranchMessage",
      description: "A message of the visible branch, with more fields for a UI.",
    }),
  );
export type BranchMessage = z.infer<typeof branchMessage>;

const branchQuery = z.object({
  head: described(z.optional(anyId), "The branch through this message."),
  before: described(z.optional(anyId), "A message of the branch. The page ends with the message above it."),
  last: described(
    z.optional(anyId),
    "A message of the thread, on any branch. The page ends with it: with a `limit` of 1, it is the only one.",
  ),
  limit: described(
    z.optional(queryNumber(1, limits.messagePageMax)),
    `Page size. Default: ${limits.branchPage}.`,
  ),
});

/**
 * A message that a person sent while an answer was being written. When it is sent from the queue, its message, run and reply
 * get these ids.
 */
export const queuedMessage = namedObject(
  "QueuedMessage",
  "A message that waits until the current answer is complete.",
  {
    id: z.string(),
    thread_id: z.string(),
    parent_id: described(
      z.string(),
      "The reply that it follows. Several messages queued after the same reply are sent one after another, each below the previous answer.",
    ),
    run_id: z.string(),
    reply_id: z.string(),
    assistant_id: described(z.string(), "The assistant that will answer."),
    model: described(z.string(), "The model that will answer."),
    content: z.record(z.string(), z.unknown()),
    asked_by: z.optional(asker),
    is_held: described(
      z.boolean(),
      "The answer before it failed or was stopped, so it waits until someone sends it.",
    ),
    created_at: timestamp,
    updated_at: timestamp,
  },
);
export type QueuedMessage = z.infer<typeof queuedMessage>;

export const branch = namedObject("Branch", "A page of one branch.", {
  thread_id: described(z.string(), "The thread's id."),
  head_id: described(z.nullable(z.string()), "The last message of the branch; null in an empty thread."),
  messages: described(z.array(branchMessage), "In order, from the top down."),
  has_more: described(z.boolean(), "Whether there are messages above the first one."),
  queue: described(
    z.array(queuedMessage),
    "The queued messages of the thread, on any branch, in order. Not part of the message list of the hosted protocol.",
  ),
  summary: described(
    z.nullable(summary),
    "What models read in place of the first messages; null if they read all.",
  ),
});
export type Branch = z.infer<typeof branch>;

const headUpdate = z.object({ message_id: anyId });

export const messageEndpoints = endpoints("visitor", {
  "messages.list": {
    request: "GET /v1/threads/{thread_id}/messages",
    summary: "List the messages of a thread",
    description:
      "All branches of the thread, sorted by depth (deepest first), then by time (newest first). After a page of exactly `limit` messages there may be more. For a thread that is not yours the list is empty. With `format`, messages of other formats are converted if possible.",
    query: messageListQuery,
    response: z.object({ messages: z.array(message) }),
    errors: ["page-too-large"],
    example: { query: { limit: "200" } },
  },
  "messages.add": {
    request: "POST /v1/threads/{thread_id}/messages",
    audit: { none: "own-content" },
    summary: "Store a message",
    description:
      "For clients that store both sides of a conversation themselves. To get an answer, start a run instead. The content is returned exactly as it was sent. The thread moves to the top of the list. If a message has the same `external_id`, or this id, it gets the new content and format, and the status is 200. A copy in `aui/v0`, without a lease, of a message that is stored in another format or was loaded from here changes nothing. Repeating the request changes nothing and does not move the thread. With `open_run`, the message is one whose answer is still being written: the client sends heartbeats, stores the text so far with `lease_id`, and ends the lease.",
    query: messageAddQuery,
    body: messageCreate,
    bodyBytesMax: limits.jsonBodyBytes,
    isWrite: true,
    status: 201,
    response: z.extend(grantedLease, { message_id: z.string() }),
    otherSuccess: {
      status: 200,
      description: "A message with this external id was updated.",
    },
    errors: [
      "parent-not-in-thread",
      "role-cannot-change",
      "quota-full",
      "lease-ended",
      "lease-mismatch",
      "lease-taken",
      "too-many-leases",
    ],
    example: {
      body: { parent_id: null, format: "aui/v0", content: exampleContent("What grows in the shade?") },
    },
  },
  "messages.update": {
    request: "PUT /v1/threads/{thread_id}/messages/{message_id}",
    audit: { none: "own-content" },
    summary: "Replace a message's content",
    description:
      "The message keeps its id, position, children and format. Messages with children can be changed too. Without `lease_id`, the write ends a lease whose client is no longer heard of.",
    body: messageUpdate,
    bodyBytesMax: limits.jsonBodyBytes,
    isWrite: true,
    errors: ["quota-full", "lease-ended", "lease-mismatch"],
    example: { body: { content: exampleContent("What grows in deep shade?") } },
  },
  "messages.feedback": {
    request: "POST /v1/threads/{thread_id}/messages/{message_id}/feedback",
    members: "write",
    audit: { none: "own-content" },
    summary: "Rate a message up or down",
    description:
      "Each user has one rating per message; a new one replaces it. It is stored as the boolean score `feedback`, with the reason in `string_value`.",
    body: feedbackCreate,
    bodyBytesMax: limits.formBodyBytes,
    response: feedback,
    example: { body: { type: "negative", reason: "too-long", comment: "One sentence is enough." } },
  },
  "messages.withdrawFeedback": {
    request: "DELETE /v1/threads/{thread_id}/messages/{message_id}/feedback",
    members: "write",
    audit: { none: "own-content" },
    summary: "Remove a rating",
    description: "Without a rating, nothing happens.",
  },
  "messages.branch": {
    request: "GET /v1/threads/{thread_id}/branch",
    members: "read",
    summary: "Get the visible branch of a thread",
    description:
      "The messages of one branch from the top down: the branch that the caller saw last, or the one through `head`. Use `before` to page upwards.",
    query: branchQuery,
    response: branch,
    errors: ["message-not-found"],
    example: { query: { limit: "100" } },
  },
  "messages.setHead": {
    request: "PUT /v1/threads/{thread_id}/head",
    members: "read",
    audit: { none: "own-content" },
    summary: "Switch to another branch",
    description: "Makes the branch through this message the caller's visible branch.",
    body: headUpdate,
    response: z.object({ head_id: z.string() }),
    errors: ["message-not-found"],
    example: { body: { message_id: "$MESSAGE_ID" } },
  },
});
