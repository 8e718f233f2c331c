import * as z from "zod/mini";
import { limits } from "../limits.ts";
import {
  anyId,
  instant,
  metadata,
  name,
  timestamp,
  queryFlag,
  queryNumber,
  title,
  threadParams,
  emptyObject,
} from "./fields.ts";
import { reasoningEffort } from "./models.ts";
import type { Endpoints } from "../endpoint.ts";

/** The hosted protocol has the first nine fields. */
export const thread = z
  .object({
    id: z.string().check(z.describe("The thread's id.")),
    project_id: z.string().check(z.describe("The app of the thread.")),
    workspace_id: z.string().check(z.describe("The workspace of the thread, by its public name.")),
    title: z.nullable(z.string()).check(z.describe("The title; null until there is one.")),
    external_id: z
      .nullable(z.string())
      .check(z.describe("An id that your application set. Several threads may have the same.")),
    created_at: timestamp,
    updated_at: timestamp,
    last_message_at: timestamp.check(
      z.describe("When its newest message was sent. Lists are sorted by this."),
    ),
    is_archived: z.boolean().check(z.describe("Whether it is in the archive.")),
    metadata: z
      .unknown()
      .check(
        z.describe(
          "Any JSON object that your application stored, or null. In a folder or with tags, its key `parlance` has their names; that key is only read.",
        ),
      ),
    title_source: z
      .nullable(z.enum(["person", "model", "fallback"]))
      .check(
        z.describe(
          "Where the title is from: a person, a model, or (fallback) the first words of the thread until a model writes one.",
        ),
      ),
    is_pinned: z.boolean().check(z.describe("Whether it is pinned to the top of the list.")),
    deleted_at: z
      .nullable(timestamp)
      .check(z.describe("When it was moved to the trash; null if it is not there.")),
    assistant_id: z
      .nullable(z.string())
      .check(z.describe("The assistant of the thread; null for the default one.")),
    model: z.nullable(z.string()).check(z.describe("The model of the thread; null for the default one.")),
    reasoning_effort: z
      .nullable(reasoningEffort)
      .check(z.describe("How hard its models think; null for the assistant's choice.")),
    local_only: z
      .boolean()
      .check(z.describe("Whether only models in the server's own network may answer and title it.")),
    folder_id: z.nullable(z.string()).check(z.describe("Its folder; null if it is in none.")),
    tag_ids: z.array(z.string()).check(z.describe("Its tags, by name.")),
    temporary_until: z
      .nullable(timestamp)
      .check(
        z.describe("When a temporary thread is erased; null for others. Lists and search leave it out."),
      ),
    active_run_id: z.nullable(z.string()).check(z.describe("The newest run that has not ended.")),
    needs_action: z
      .boolean()
      .check(z.describe("Whether a run waits for a person to allow or answer a tool call.")),
    allowed_tools: z
      .array(z.string())
      .check(
        z.describe(
          "Tools that may run in this thread without approval, because the person allowed them always.",
        ),
      ),
    sharing: z
      .optional(
        z.object({
          access: z.enum(["owner", "write", "read"]).check(z.describe("What you may do in it.")),
          owner_name: z.nullable(z.string()),
        }),
      )
      .check(z.describe("In the web app, for a thread that is shared with people or groups.")),
  })
  .check(z.meta({ id: "Thread", description: "A conversation." }));
export type Thread = z.infer<typeof thread>;

const threadCreate = z
  .object({
    id: z
      .optional(anyId)
      .check(
        z.describe(
          "An id that you created: thread_0 and 24 characters. Repeating the request returns the same thread.",
        ),
      ),
    last_message_at: instant.check(z.describe("When its newest message was sent: usually now.")),
    title: z.optional(title).check(z.describe("A title that a person chose.")),
    metadata: z
      .optional(z.nullable(metadata))
      .check(
        z.describe("Any JSON object of at most 16 KiB, stored unchanged except for the key `parlance`."),
      ),
    external_id: z.optional(z.nullable(name)).check(z.describe("An id of your own to find it by.")),
    upsert: z
      .optional(z.boolean())
      .check(
        z.describe(
          "With external_id: return the oldest thread with that id instead of creating another one.",
        ),
      ),
  })
  .check(
    z.refine((body) => body.upsert !== true || body.external_id != null, {
      path: ["external_id"],
      message: "must be given with upsert",
    }),
  );

const threadUpdate = z
  .object({
    title: z.optional(title).check(z.describe("A new title. Models never replace it.")),
    last_message_at: z.optional(instant).check(z.describe("When its newest message was sent.")),
    metadata: z
      .optional(z.nullable(metadata))
      .check(z.describe("Replaces the stored metadata; null removes it. Folder and tags stay.")),
    is_archived: z.optional(z.boolean()).check(z.describe("Move it into or out of the archive.")),
    is_pinned: z.optional(z.boolean()).check(z.describe("Pin or unpin it.")),
    assistant_id: z
      .optional(z.nullable(name))
      .check(z.describe("The assistant of the thread; null for the default one.")),
    model: z
      .optional(z.nullable(name))
      .check(z.describe("The model of the thread; null for the default one.")),
    reasoning_effort: z
      .optional(z.nullable(reasoningEffort))
      .check(z.describe("How hard its models think; null for the assistant's choice.")),
    local_only: z
      .optional(z.boolean())
      .check(
        z.describe(
          "Allow only models in the server's own network. A request to another one then fails; no other model replaces it.",
        ),
      ),
    folder_id: z.optional(z.nullable(anyId)).check(z.describe("The folder to move it to; null for none.")),
    tag_ids: z
      .optional(
        z
          .array(anyId)
          .check(z.maxLength(limits.tagsPerThread, `must have at most ${limits.tagsPerThread} tags`)),
      )
      .check(z.describe("Replaces its tags.")),
    temporary: z
      .optional(z.enum(["open", "closing", "keep", "erase"]))
      .check(
        z.describe(
          "For a temporary thread: `open` postpones its erasure to 45 minutes from now, `closing` moves it to 2 minutes from now, `keep` makes it an ordinary thread, and `erase` erases it now. Others answer `bad-request`. Not with other fields.",
        ),
      ),
  })
  .check(
    z.refine((body) => Object.keys(body).length > 0, {
      message: "must have at least one field to change, such as title",
    }),
    z.refine((body) => body.temporary === undefined || Object.keys(body).length === 1, {
      path: ["temporary"],
      message: "must be the only field",
    }),
  );

const allowedToolParams = z.object({ thread_id: anyId, tool_name: anyId });

const claimRequest = z.object({
  refresh_token: z
    .string()
    .check(z.minLength(1, "must not be empty"))
    .check(z.describe("The refresh token of the anonymous user whose threads to move.")),
});

const claimResponse = z.object({
  moved: z.number().check(z.describe("The number of moved threads, without those in the trash.")),
});

const trashListQuery = z.object({
  limit: z.optional(queryNumber(1, limits.threadPageMax)),
  after: z.optional(anyId),
});

/** The number of permanently deleted threads. */
const trashEmptyResponse = z.object({ deleted: z.number() });

export const threadListQuery = z.object({
  is_archived: z.optional(queryFlag).check(z.describe("List archived threads instead.")),
  limit: z
    .optional(queryNumber(1, limits.threadPageMax))
    .check(z.describe(`Page size. Default: ${limits.threadPage}. A shorter page is the last one.`)),
  after: z
    .optional(anyId)
    .check(
      z.describe("The id of the last thread of the previous page. An unknown id starts with the first page."),
    ),
  external_id: z.optional(anyId).check(z.describe("Only threads with this external id.")),
  is_pinned: z
    .optional(queryFlag)
    .check(z.describe("Only pinned threads, or only others. Default: both, sorted together.")),
  folder_id: z.optional(anyId).check(z.describe("Only threads in this folder.")),
  in_folder: z.optional(queryFlag).check(z.describe("Only threads in a folder, or only others.")),
  tag_id: z.optional(anyId).check(z.describe("Only threads with this tag.")),
});

export const threadEndpoints = {
  "threads.list": {
    method: "GET",
    path: "/v1/threads",
    caller: "visitor",
    summary: "List threads, newest message first",
    description:
      "Lists threads that are not archived or, with `is_archived=true`, archived ones, sorted by their newest message. After a page of exactly `limit` threads there may be more: request the next page with `after`. Paging continues at the same place if threads change meanwhile. Pinned threads are sorted like the others; `is_pinned=true` lists only those.",
    query: threadListQuery,
    kind: "json",
    status: 200,
    response: z.object({ threads: z.array(thread) }),
    example: { query: { limit: "20" } },
  },
  "threads.create": {
    method: "POST",
    path: "/v1/threads",
    caller: "visitor",
    audit: { none: "own-content" },
    summary: "Create a thread",
    description:
      "The status is 200 if the thread already exists: with `upsert` and an `external_id`, or if you repeat a request with an `id` that you created.",
    body: threadCreate,
    bodyBytesMax: limits.formBodyBytes,
    isWrite: true,
    kind: "json",
    status: 201,
    response: z.object({ thread_id: z.string() }),
    otherSuccess: { status: 200, description: "The thread already exists." },
    errors: ["conflict", "quota-full"],
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
    audit: { none: "own-content" },
    summary: "Move the threads of an anonymous user to your workspace",
    description:
      "For a person who used the service without an account and then signs in. Moves the anonymous user's threads with all their data to the caller's workspace. Repeating the request moves nothing.",
    body: claimRequest,
    kind: "json",
    status: 200,
    response: claimResponse,
    errors: ["anonymous-cannot-claim", "invalid-refresh-token", "quota-full"],
    example: { body: { refresh_token: "$REFRESH_TOKEN" } },
  },
  "threads.get": {
    method: "GET",
    path: "/v1/threads/{thread_id}",
    caller: "visitor",
    members: "read",
    summary: "Get a thread",
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
    audit: { none: "own-content" },
    summary: "Rename, archive, pin or change a thread",
    description:
      "Changes the given fields only. Models never replace a title that a person chose. A new assistant or model answers from the next message on. A temporary thread can only get another assistant, model or reasoning effort, become `local_only`, or be kept; everything else answers `thread-temporary`.",
    params: threadParams,
    body: threadUpdate,
    bodyBytesMax: limits.formBodyBytes,
    isWrite: true,
    kind: "json",
    status: 200,
    response: emptyObject,
    errors: ["assistant-not-found", "label-not-found", "thread-temporary", "quota-full"],
    example: { body: { title: "The garden in spring", is_pinned: true } },
  },
  "threads.remove": {
    method: "DELETE",
    path: "/v1/threads/{thread_id}",
    caller: "visitor",
    audit: { none: "own-content" },
    summary: "Move a thread to the trash",
    description:
      "All calls except `restore` return 404 for it. After 30 days it is deleted permanently with its messages. Its runs still count towards usage. A temporary thread is erased instead.",
    params: threadParams,
    kind: "json",
    status: 200,
    response: emptyObject,
  },
  "threads.restore": {
    method: "POST",
    path: "/v1/threads/{thread_id}/restore",
    caller: "visitor",
    audit: { none: "own-content" },
    summary: "Restore a thread from the trash",
    description: "Restores the thread unchanged.",
    params: threadParams,
    kind: "json",
    status: 200,
    response: z.object({ thread: thread }),
  },
  "threads.askAgain": {
    method: "DELETE",
    path: "/v1/threads/{thread_id}/allowed-tools/{tool_name}",
    caller: "visitor",
    audit: { none: "own-content" },
    summary: "Require approval for a tool again",
    description:
      "Reverts an approval with `always`. The thread's `allowed_tools` lists these tools. Repeating the request changes nothing.",
    params: allowedToolParams,
    kind: "json",
    status: 200,
    response: emptyObject,
  },
  "trash.list": {
    method: "GET",
    path: "/v1/trash",
    caller: "visitor",
    summary: "List the threads in the trash, newest first",
    description: "After a page of exactly `limit` threads there may be more; pass its last id as `after`.",
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
    audit: { none: "own-content" },
    summary: "Empty the trash",
    description:
      "Permanently deletes all threads in the trash. This cannot be undone. `deleted` is their number.",
    kind: "json",
    status: 200,
    response: trashEmptyResponse,
  },
  "trash.remove": {
    method: "DELETE",
    path: "/v1/trash/{thread_id}",
    caller: "visitor",
    audit: { none: "own-content" },
    summary: "Permanently delete a thread in the trash",
    description: "This cannot be undone. A thread that is not in the trash is not found.",
    params: threadParams,
    kind: "json",
    status: 200,
    response: emptyObject,
  },
} as const satisfies Endpoints;
