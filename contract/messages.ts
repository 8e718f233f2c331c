import * as z from "zod/mini";
import { limits } from "./limits.ts";
import { anyId, jsonObject, name, printedInstant, queryFlag, queryNumber } from "./shapes.ts";
import { sentPartSchemas } from "./parts/schemas.ts";
import { queuedMessage } from "./queue.ts";
import { runNoteKinds } from "./run-events.ts";
import { feedbackTypes } from "./scores.ts";

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

const userPart = z.discriminatedUnion("type", Object.values(sentPartSchemas) as never);

/** The shape of `userContent`, for the API reference. */
export const userContentShape = z.looseObject({
  role: z.literal("user"),
  content: z.array(z.union(Object.values(sentPartSchemas))).check(z.minLength(1)),
});

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
export const queuedUpdate = z.object({
  content: userContent,
  restore: z.optional(
    z
      .boolean()
      .check(
        z.describe(
          "Puts it back where it waited, where it was taken out within a day. Otherwise that is a 404.",
        ),
      ),
  ),
});
