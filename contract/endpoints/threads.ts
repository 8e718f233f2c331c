import * as z from "zod/mini";
import { limits } from "../limits.ts";
import {
  anyId,
  instant,
  metadata,
  name,
  printedInstant,
  queryFlag,
  queryNumber,
  title,
  threadParams,
  empty,
} from "./fields.ts";
import type { Endpoints } from "../endpoint.ts";

/** A thread. The first nine fields are the protocol's, the rest our own. */
export const thread = z
  .object({
    id: z.string().check(z.describe("The thread.")),
    project_id: z.string().check(z.describe("The project that it belongs to.")),
    workspace_id: z
      .string()
      .check(z.describe("The workspace that owns it, by the name that its people know.")),
    title: z.nullable(z.string()).check(z.describe("What the thread is called; null until it has a name.")),
    external_id: z
      .nullable(z.string())
      .check(z.describe("The id that an application of yours gave it. Several threads may bear the same.")),
    created_at: printedInstant,
    updated_at: printedInstant,
    last_message_at: printedInstant.check(
      z.describe("When something was last said in it. Lists are ordered by this."),
    ),
    is_archived: z.boolean().check(z.describe("Whether it is in the archive.")),
    metadata: z.unknown().check(z.describe("Whatever JSON object an application keeps with it, or null.")),
    title_source: z
      .nullable(z.enum(["person", "model", "fallback"]))
      .check(
        z.describe("Who named it: a person, a model, or the first words of the thread until a model does."),
      ),
    is_pinned: z.boolean().check(z.describe("Whether it is kept at the top of the list.")),
    deleted_at: z
      .nullable(printedInstant)
      .check(z.describe("When it was moved to the trash; null while it is not there.")),
    assistant_id: z
      .nullable(z.string())
      .check(z.describe("The assistant that answers here, or null for the default one.")),
    model: z
      .nullable(z.string())
      .check(z.describe("The model that answers here, or null for the default one.")),
    active_run_id: z.nullable(z.string()).check(z.describe("The newest run that has not ended.")),
    needs_action: z
      .boolean()
      .check(z.describe("Whether some run of it waits for a person to allow or answer a tool call.")),
    allowed_tools: z
      .array(z.string())
      .check(z.describe("Tools that answers here use without asking, because its person said so.")),
  })
  .check(z.meta({ id: "Thread", description: "A conversation." }));
export type Thread = z.infer<typeof thread>;

export const threadCreate = z.object({
  id: z
    .optional(anyId)
    .check(
      z.describe(
        "An id minted by you in the form thread_0 and 24 characters. The same request again answers the same thread.",
      ),
    ),
  last_message_at: instant.check(z.describe("When something was last said in it: usually now.")),
  title: z.optional(title).check(z.describe("Its name, where a person gave it one.")),
  metadata: z
    .optional(z.nullable(metadata))
    .check(z.describe("Any JSON object of at most 16 KiB, kept as it is.")),
  external_id: z.optional(z.nullable(name)).check(z.describe("An id of your own to find it by.")),
  upsert: z
    .optional(z.boolean())
    .check(z.describe("With external_id: answer the oldest thread of that id instead of making another.")),
});

export const threadUpdate = z.object({
  title: z
    .optional(title)
    .check(z.describe("A new name. A name that a person gave is never replaced by a model.")),
  last_message_at: z.optional(instant).check(z.describe("When something was last said in it.")),
  metadata: z.optional(z.nullable(metadata)).check(z.describe("Replaces what was kept; null clears it.")),
  is_archived: z.optional(z.boolean()).check(z.describe("Into the archive, or out of it.")),
  is_pinned: z.optional(z.boolean()).check(z.describe("To the top of the list, or back into it.")),
  assistant_id: z
    .optional(z.nullable(name))
    .check(z.describe("The assistant that shall answer here; null for the default one.")),
  model: z
    .optional(z.nullable(name))
    .check(z.describe("The model that shall answer here; null for the default one.")),
});

export const allowedToolParams = z.object({ thread_id: anyId, tool_name: anyId });

/** The refresh token of the anonymous visitor whose threads are to come along. */
export const claimRequest = z.object({
  refresh_token: z
    .string()
    .check(z.minLength(1, "must not be empty"))
    .check(z.describe("The refresh token of the anonymous visitor whose threads are to come along.")),
});

export const claimed = z.object({
  moved: z.number().check(z.describe("How many threads came along, those in the trash not counted.")),
});

export const trashListQuery = z.object({
  limit: z.optional(queryNumber(1, limits.threadPageMax)),
  after: z.optional(anyId),
});

/** How many threads went for good. */
export const trashEmptied = z.object({ deleted: z.number() });

export const threadListQuery = z.object({
  is_archived: z.optional(queryFlag).check(z.describe("The archive instead of the list.")),
  limit: z
    .optional(queryNumber(1, limits.threadPageMax))
    .check(
      z.describe(`How many; ${limits.threadPage} where it is not said. A shorter page is the last one.`),
    ),
  after: z.optional(anyId).check(z.describe("The id of the last thread of the page before.")),
  external_id: z.optional(anyId).check(z.describe("Only threads of this external id.")),
  is_pinned: z
    .optional(queryFlag)
    .check(
      z.describe("Only threads that are pinned, or that are not. Both, in one order, where it is not said."),
    ),
});

export const threadEndpoints = {
  "threads.list": {
    method: "GET",
    path: "/v1/threads",
    caller: "visitor",
    summary: "List threads, newest message first",
    description:
      "The list or, with `is_archived=true`, the archive; never both. Newest message first. A page of exactly `limit` threads may have more after it: ask again with `after`. A walk goes on where it stood while threads are written in, archived or deleted. Pinned threads stand where their newest message puts them, too; `is_pinned=true` answers those alone.",
    query: threadListQuery,
    kind: "json",
    status: 200,
    response: z.object({ threads: z.array(thread) }),
    errors: ["bad-cursor"],
    example: { query: { limit: "20" } },
  },
  "threads.create": {
    method: "POST",
    path: "/v1/threads",
    caller: "visitor",
    summary: "Make a thread",
    description:
      "With `upsert` and an `external_id` the answer may be a thread that was there: then the status is 200. So it is when a thread of an `id` that you minted is made again.",
    body: threadCreate,
    bodyBytesMax: limits.formBodyBytes,
    kind: "json",
    status: 201,
    response: z.object({ thread_id: z.string() }),
    otherSuccess: { status: 200, description: "It was there already." },
    errors: ["conflict"],
    example: {
      body: {
        last_message_at: "2026-01-31T12:00:00.000Z",
        title: "A plan for the garden",
        metadata: { colour: "green" },
      },
    },
  },
  "threads.claim": {
    method: "POST",
    path: "/v1/threads/claim",
    caller: "visitor",
    summary: "Take over the threads of an anonymous visitor",
    description:
      "For someone who wrote without an account and signs in: the threads of the anonymous visitor, with all that belongs to them, move to the workspace of the caller. Asked again, nothing is left to move.",
    body: claimRequest,
    kind: "json",
    status: 200,
    response: claimed,
    errors: ["anonymous-cannot-claim", "invalid-refresh-token", "quota-full"],
    example: { body: { refresh_token: "$REFRESH_TOKEN" } },
  },
  "threads.get": {
    method: "GET",
    path: "/v1/threads/{thread_id}",
    caller: "visitor",
    summary: "Read a thread",
    description: "A thread in the trash is not found.",
    params: threadParams,
    kind: "json",
    status: 200,
    response: z.object({ thread: thread }),
  },
  "threads.update": {
    method: "PUT",
    path: "/v1/threads/{thread_id}",
    caller: "visitor",
    summary: "Rename, archive, pin or otherwise change a thread",
    description:
      "Only what is sent changes. A name that a person gave stays: no model replaces it. An assistant or a model that is chosen here answers from the next message on.",
    params: threadParams,
    body: threadUpdate,
    bodyBytesMax: limits.formBodyBytes,
    kind: "json",
    status: 200,
    response: empty,
    errors: ["assistant-not-found"],
    example: { body: { title: "The garden in spring", is_pinned: true } },
  },
  "threads.remove": {
    method: "DELETE",
    path: "/v1/threads/{thread_id}",
    caller: "visitor",
    summary: "Move a thread to the trash",
    description:
      "It is not found by any other call from then on, but for `restore`. After 30 days it is gone for good, with its messages. What its runs used stays counted.",
    params: threadParams,
    kind: "json",
    status: 200,
    response: empty,
  },
  "threads.restore": {
    method: "POST",
    path: "/v1/threads/{thread_id}/restore",
    caller: "visitor",
    summary: "Take a thread out of the trash",
    description: "Brings a thread back from the trash, as it was.",
    params: threadParams,
    kind: "json",
    status: 200,
    response: z.object({ thread: thread }),
  },
  "threads.askAgain": {
    method: "DELETE",
    path: "/v1/threads/{thread_id}/allowed-tools/{tool_name}",
    caller: "visitor",
    summary: "Have a tool ask again in a thread",
    description:
      "Takes back what `always` allowed when a call was approved: `allowed_tools` of the thread lists it. Taken back a second time, nothing happens.",
    params: allowedToolParams,
    kind: "json",
    status: 200,
    response: empty,
  },
  "trash.list": {
    method: "GET",
    path: "/v1/trash",
    caller: "visitor",
    summary: "List the threads in the trash, last thrown away first",
    description: "A page of exactly `limit` threads may have more after it; pass its last id as `after`.",
    query: trashListQuery,
    kind: "json",
    status: 200,
    response: z.object({ threads: z.array(thread) }),
    errors: ["bad-cursor"],
    example: { query: { limit: "20" } },
  },
  "trash.empty": {
    method: "DELETE",
    path: "/v1/trash",
    caller: "visitor",
    summary: "Delete everything in the trash for good",
    description: "They cannot be brought back. `deleted` says how many threads went.",
    kind: "json",
    status: 200,
    response: trashEmptied,
  },
  "trash.remove": {
    method: "DELETE",
    path: "/v1/trash/{thread_id}",
    caller: "visitor",
    summary: "Delete a thread of the trash for good",
    description: "It cannot be brought back. A thread that is not in the trash is not found.",
    params: threadParams,
    kind: "json",
    status: 200,
    response: empty,
  },
} as const satisfies Endpoints;
