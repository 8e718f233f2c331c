import * as z from "zod/mini";
import { limits } from "../limits.ts";
import {
  anyId,
  jsonObject,
  name,
  printedInstant,
  queryFlag,
  queryNumber,
  threadParams,
  exampleContent,
  empty,
} from "./fields.ts";
import { runNoteKinds } from "../run-events.ts";
import { feedbackTypes, feedbackCreate, feedback } from "./scores.ts";
import type { Endpoints } from "../endpoint.ts";

export const roles = ["user", "assistant", "system"] as const;
export type Role = (typeof roles)[number];

/** A message's own status: the truth of which the stored content's `status` is the protocol's shadow. */
export const messageStatus = z.object({
  type: z
    .enum(["running", "complete", "incomplete", "requires-action"])
    .check(z.describe("How the message stands.")),
  reason: z
    .nullable(z.string())
    .check(z.describe("For incomplete: cancelled, length, content-filter, error or interrupted.")),
  error_code: z
    .nullable(z.string())
    .check(z.describe("For incomplete because of an error: its code in the catalogue.")),
});
export type MessageStatus = z.infer<typeof messageStatus>;

/** A message as the protocol lists it. */
export const message = z
  .object({
    id: z.string().check(z.describe("The message.")),
    parent_id: z
      .nullable(z.string())
      .check(z.describe("The message that it answers or follows; null at the top of the thread.")),
    external_id: z.nullable(z.string()).check(z.describe("The id that an application of yours gave it.")),
    height: z.number().check(z.describe("How many messages stand above it on its branch.")),
    created_at: printedInstant,
    updated_at: printedInstant,
    format: z.string().check(z.describe("How content is to be read: aui/v0, ai-sdk/v6 or another.")),
    content: z.record(z.string(), z.unknown()).check(z.describe("What was said, exactly as it was stored.")),
  })
  .check(z.meta({ id: "Message", description: "One message of a thread." }));
export type Message = z.infer<typeof message>;

export const messageCreate = z.object({
  parent_id: z
    .nullable(z.string())
    .check(
      z.describe(
        "The message that it answers or follows; null begins the thread or another branch at its top. An id that is not ours (it does not begin with msg_) counts as null.",
      ),
    ),
  format: name.check(z.describe("How content is to be read: aui/v0, ai-sdk/v6 or a name of your own.")),
  content: jsonObject.check(z.describe("What was said: any JSON object of up to 8 MiB, kept exactly.")),
  external_id: z
    .optional(z.nullable(name))
    .check(
      z.describe(
        "An id of your own. The same again in this thread changes that message instead of adding one.",
      ),
    ),
  parent_external_id: z
    .optional(z.nullable(name))
    .check(z.describe("The parent by your own id; counts before parent_id.")),
});

export const messageUpdate = z.object({ content: jsonObject });

export const messagesRemove = z.object({
  message_ids: z
    .array(anyId)
    .check(
      z.minLength(1, "must name at least one message"),
      z.maxLength(limits.messagesRemovedMax, `must name at most ${limits.messagesRemovedMax} messages`),
      z.describe("The messages to delete."),
    ),
});

export const messagesRemoveQuery = z.object({
  descendants: z
    .optional(queryFlag)
    .check(
      z.describe(
        "Delete everything below these messages too. Otherwise their children move up to the parent of the deleted message.",
      ),
    ),
});

export const messageListQuery = z.object({
  format: z.optional(name).check(z.describe("Convert messages to this format, where they can be.")),
  limit: z
    .optional(queryNumber(1, limits.messagePageMax))
    .check(
      z.describe(`How many; ${limits.messagePage} where it is not said. A shorter page is the last one.`),
    ),
  after: z.optional(anyId).check(z.describe("The id of the last message of the page before.")),
});

/** Who made an answer. */
export const maker = z
  .object({
    assistant_id: z.nullable(z.string()).check(z.describe("The assistant that answered, which may be gone.")),
    assistant_name: z
      .nullable(z.string())
      .check(z.describe("What it is or was called; null for one that is not known here.")),
    model: z.nullable(z.string()).check(z.describe("The model that answered.")),
    notes: z
      .array(
        z.object({
          kind: z
            .enum(runNoteKinds)
            .check(
              z.describe(
                "assistant-gone or model-gone: what was chosen is not there any more, and another one answered. setting-left-out: the model does not take it.",
              ),
            ),
          name: z
            .string()
            .check(z.describe("Of the assistant, the model or the setting; empty where it is not known.")),
        }),
      )
      .check(z.describe("What was otherwise than it was chosen.")),
  })
  .check(z.meta({ id: "Maker", description: "Who made an answer." }));
export type Maker = z.infer<typeof maker>;

/** A message of the visible branch: the protocol's message, and what our own app needs beside it. */
export const branchMessage = z
  .extend(message, {
    role: z.enum(roles).check(z.describe("Who said it.")),
    status: messageStatus.check(z.describe("How it stands.")),
    run_id: z
      .nullable(z.string())
      .check(z.describe("The run that made it or is making it; messages of protocol clients have none.")),
    siblings: z
      .array(z.string())
      .check(
        z.describe(
          "All children of its parent, itself included, oldest first, where there is more than one; else empty.",
        ),
      ),
    made_by: z
      .nullable(maker)
      .check(z.describe("Of an answer of ours, or one that was brought in with it: who made it. Else null.")),
    feedback: z.nullable(z.enum(feedbackTypes)).check(z.describe("The caller's own thumb on it.")),
  })
  .check(
    z.meta({
      id: "BranchMessage",
      description: "A message of the visible branch, with what a screen needs beside it.",
    }),
  );
export type BranchMessage = z.infer<typeof branchMessage>;

export const branchQuery = z.object({
  head: z.optional(anyId).check(z.describe("Read the branch that goes through this message.")),
  before: z.optional(anyId).check(z.describe("A message of the branch: the page ends just above it.")),
  limit: z
    .optional(queryNumber(1, limits.messagePageMax))
    .check(z.describe(`How many; ${limits.branchPage} where it is not said.`)),
});

/**
 * What a person said while an answer was being written: not a message yet. It becomes one, under the same id, when its
 * turn comes. Its ids are those that its message, reply and run will have.
 */
export const queuedMessage = z
  .object({
    id: z.string(),
    thread_id: z.string(),
    parent_id: z
      .string()
      .check(
        z.describe(
          "The reply after which it is to be said. Several after the same reply follow each other, and each other's replies.",
        ),
      ),
    run_id: z.string(),
    reply_id: z.string(),
    assistant_id: z.string().check(z.describe("The assistant that is to answer.")),
    model: z.string().check(z.describe("The model that is to answer.")),
    content: z.record(z.string(), z.unknown()),
    is_held: z
      .boolean()
      .check(z.describe("The answer before it has ended and did not end well: it waits for a person.")),
    created_at: printedInstant,
    updated_at: printedInstant,
  })
  .check(
    z.meta({
      id: "QueuedMessage",
      description: "What a person said while an answer was being written: not a message yet.",
    }),
  );
export type QueuedMessage = z.infer<typeof queuedMessage>;

export const branch = z
  .object({
    thread_id: z.string().check(z.describe("The thread.")),
    head_id: z
      .nullable(z.string())
      .check(z.describe("The last message of the branch that is shown; null in an empty thread.")),
    messages: z.array(branchMessage).check(z.describe("From the top down.")),
    has_more: z.boolean().check(z.describe("Whether there is more above the first.")),
    queue: z
      .array(queuedMessage)
      .check(
        z.describe(
          "What waits to be said in this thread, on this branch or another, in its order. Never in a protocol client's list.",
        ),
      ),
  })
  .check(z.meta({ id: "Branch", description: "A page of one branch." }));
export type Branch = z.infer<typeof branch>;

export const headUpdate = z.object({ message_id: anyId });

const messageParams = z.object({ thread_id: anyId, message_id: anyId });

export const messageEndpoints = {
  "messages.list": {
    method: "GET",
    path: "/v1/threads/{thread_id}/messages",
    caller: "visitor",
    summary: "List a thread's messages, newest first",
    description:
      "All branches of the thread: the deepest first, then the newest. A page of exactly `limit` messages may have more after it. A thread that is not yours has none. With `format` messages of other formats are converted where they can be.",
    params: threadParams,
    query: messageListQuery,
    kind: "json",
    status: 200,
    response: z.object({ messages: z.array(message) }),
    errors: ["bad-cursor", "page-too-large"],
    example: { query: { limit: "200" } },
  },
  "messages.add": {
    method: "POST",
    path: "/v1/threads/{thread_id}/messages",
    caller: "visitor",
    summary: "Store a message",
    description:
      "For clients that keep both sides of a talk themselves; to have an answer made, start a run. What is sent comes back exactly. The thread moves to the top of the list. With an `external_id` that is there already, that message takes the new content and format and the status is 200; the same again changes nothing and does not move the thread.",
    params: threadParams,
    body: messageCreate,
    bodyBytesMax: limits.jsonBodyBytes,
    kind: "json",
    status: 201,
    response: z.object({ message_id: z.string() }),
    otherSuccess: {
      status: 200,
      description: "A message of this external id was there, and has the new content and format now.",
    },
    errors: ["parent-not-in-thread", "role-cannot-change"],
    example: {
      body: { parent_id: null, format: "aui/v0", content: exampleContent("What grows in the shade?") },
    },
  },
  "messages.update": {
    method: "PUT",
    path: "/v1/threads/{thread_id}/messages/{message_id}",
    caller: "visitor",
    summary: "Replace a message's content",
    description: "The message keeps its id, place, children and format. It may have children.",
    params: messageParams,
    body: messageUpdate,
    bodyBytesMax: limits.jsonBodyBytes,
    kind: "json",
    status: 200,
    response: empty,
    example: { body: { content: exampleContent("What grows in deep shade?") } },
  },
  "messages.remove": {
    method: "DELETE",
    path: "/v1/threads/{thread_id}/messages",
    caller: "visitor",
    summary: "Delete messages",
    description:
      "The children of a deleted message move up to its parent, as the protocol's clients show it; every `height` below is adjusted. With `descendants=true` everything below is deleted too. An answer that is still being written into a deleted message is stopped. What waits behind a deleted reply waits behind the message above it, until somebody sends it. Ids that are not in the thread are ignored, but at least one must be.",
    params: threadParams,
    query: messagesRemoveQuery,
    body: messagesRemove,
    bodyBytesMax: limits.formBodyBytes,
    kind: "json",
    status: 200,
    response: empty,
    errors: ["messages-not-found"],
    example: { body: { message_ids: ["$MESSAGE_ID"] } },
  },
  "messages.feedback": {
    method: "POST",
    path: "/v1/threads/{thread_id}/messages/{message_id}/feedback",
    caller: "visitor",
    summary: "Rate a message up or down",
    description:
      "One rating for each person and message: the second replaces the first. It is kept as the boolean score `feedback`.",
    params: messageParams,
    body: feedbackCreate,
    bodyBytesMax: limits.formBodyBytes,
    kind: "json",
    status: 200,
    response: feedback,
    example: { body: { type: "positive", comment: "Just what I needed." } },
  },
  "messages.withdrawFeedback": {
    method: "DELETE",
    path: "/v1/threads/{thread_id}/messages/{message_id}/feedback",
    caller: "visitor",
    summary: "Take a rating back",
    description: "Where there is no rating, nothing happens.",
    params: messageParams,
    kind: "json",
    status: 200,
    response: empty,
  },
  "messages.branch": {
    method: "GET",
    path: "/v1/threads/{thread_id}/branch",
    caller: "visitor",
    summary: "Read the visible branch of a thread",
    description:
      "One branch from the top down, as a reader sees it: the one that was shown to the caller last, or the one through `head`. Pages go upwards, with `before`.",
    params: threadParams,
    query: branchQuery,
    kind: "json",
    status: 200,
    response: branch,
    errors: ["message-not-found"],
    example: { query: { limit: "100" } },
  },
  "messages.setHead": {
    method: "PUT",
    path: "/v1/threads/{thread_id}/head",
    caller: "visitor",
    summary: "Show another branch",
    description: "From now on the caller is shown the branch that goes through this message.",
    params: threadParams,
    body: headUpdate,
    kind: "json",
    status: 200,
    response: z.object({ head_id: z.string() }),
    errors: ["message-not-found"],
    example: { body: { message_id: "$MESSAGE_ID" } },
  },
} as const satisfies Endpoints;
