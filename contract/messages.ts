import * as z from "zod/mini";
import { limits } from "./limits.ts";
import { anyId, jsonObject, name, printedInstant, queryNumber } from "./shapes.ts";
import { partSchemas } from "./parts/schemas.ts";
import { queuedMessage } from "./queue.ts";
import { feedbackTypes } from "./scores.ts";

export const roles = ["user", "assistant", "system"] as const;
export type Role = (typeof roles)[number];

/** A message's own status: the truth of which the stored content's `status` is the protocol's shadow. */
export const messageStatus = z.object({
  type: z.enum(["running", "complete", "incomplete", "requires-action"]),
  /** For `incomplete`: cancelled, length, content-filter, error, interrupted. */
  reason: z.nullable(z.string()),
  /** For `incomplete/error`: the catalogue's code. */
  error_code: z.nullable(z.string()),
});
export type MessageStatus = z.infer<typeof messageStatus>;

/** A message as the protocol lists it. */
export const message = z.object({
  id: z.string(),
  parent_id: z.nullable(z.string()),
  external_id: z.nullable(z.string()),
  height: z.number(),
  created_at: printedInstant,
  updated_at: printedInstant,
  format: z.string(),
  content: z.record(z.string(), z.unknown()),
});
export type Message = z.infer<typeof message>;

export const messageCreate = z.object({
  parent_id: z.nullable(z.string()),
  format: name,
  content: jsonObject,
  external_id: z.optional(z.nullable(name)),
  parent_external_id: z.optional(z.nullable(name)),
});

export const messageUpdate = z.object({ content: jsonObject });

/** Messages that are to go, each with all that hangs below it. */
export const messagesRemove = z.object({
  message_ids: z
    .array(anyId)
    .check(
      z.minLength(1, "must name at least one message"),
      z.maxLength(limits.messagesRemovedMax, `must name at most ${limits.messagesRemovedMax} messages`),
    ),
});

export const messageListQuery = z.object({
  format: z.optional(name),
  limit: z.optional(queryNumber(1, limits.messagePageMax)),
  after: z.optional(anyId),
});

/** A message of the visible branch: the protocol's message, and what our own app needs beside it. */
export const branchMessage = z.extend(message, {
  role: z.enum(roles),
  status: messageStatus,
  /** The run that made it or is making it; messages of protocol clients have none. */
  run_id: z.nullable(z.string()),
  /** All children of its parent, itself included, oldest first, where there is more than one; else empty. */
  siblings: z.array(z.string()),
  /** The caller's own thumb on it. */
  feedback: z.nullable(z.enum(feedbackTypes)),
});
export type BranchMessage = z.infer<typeof branchMessage>;

export const branchQuery = z.object({
  head: z.optional(anyId),
  /** A message of the branch: the page ends just above it. */
  before: z.optional(anyId),
  limit: z.optional(queryNumber(1, limits.messagePageMax)),
});

export const branch = z.object({
  thread_id: z.string(),
  /** The last message of the branch that is shown; null in an empty thread. */
  head_id: z.nullable(z.string()),
  /** From the top down. */
  messages: z.array(branchMessage),
  /** Whether there is more above the first. */
  has_more: z.boolean(),
  /** What waits to be said in this thread, on this branch or another, in its order. Never in a protocol client's list. */
  queue: z.array(queuedMessage),
});
export type Branch = z.infer<typeof branch>;

export const headUpdate = z.object({ message_id: anyId });

const userPart = z.discriminatedUnion("type", [
  partSchemas.text,
  partSchemas.image,
  partSchemas.file,
  partSchemas.audio,
  partSchemas.data,
] as never);

/** What a person sends: `aui/v0` message content of the role user, with at least one part. */
export const userContent = jsonObject.check(
  z.refine((content) => content.role === "user", { path: ["role"], message: 'must be "user"' }),
  z.refine((content) => Array.isArray(content.content) && content.content.length > 0, {
    path: ["content"],
    message: "must be a list of at least one part",
  }),
  z.refine(
    (content) =>
      !Array.isArray(content.content) || content.content.every((part) => z.safeParse(userPart, part).success),
    {
      path: ["content"],
      message: "each part must be a text, image, file, audio or data part with its own fields",
    },
  ),
);

/** Other words for a message that waits for its turn. */
export const queuedUpdate = z.object({ content: userContent });
