import * as z from "zod/mini";
import { limits } from "../limits.ts";
import {
  anyId,
  described,
  instant,
  metadata,
  name,
  namedObject,
  queryFlag,
  queryNumber,
  timestamp,
  title,
} from "./fields.ts";
import { reasoningEffort } from "./models.ts";
import { endpoints } from "./endpoints.ts";

/** The hosted protocol has the first nine fields. */
export const thread = namedObject("Thread", "A conversation.", {
  id: described(z.string(), "The thread's id."),
  project_id: described(z.string(), "The app of the thread."),
  workspace_id: described(z.string(), "The workspace of the thread, by its public name."),
  title: described(z.nullable(z.string()), "The title; null until there is one."),
  external_id: described(
    z.nullable(z.string()),
    "An id that your application set. Several threads may have the same.",
  ),
  created_at: timestamp,
  updated_at: timestamp,
  last_message_at: described(timestamp, "When its newest message was sent. Lists are sorted by this."),
  is_archived: described(z.boolean(), "Whether it is in the archive."),
  metadata: described(
    z.unknown(),
    "Any JSON object that your application stored, or null. In a folder or with tags, its key `parlance` has their names; that key is only read.",
  ),
  title_source: described(
    z.nullable(z.enum(["person", "model", "fallback"])),
    "Where the title is from: a person, a model, or (fallback) the first words of the thread until a model writes one.",
  ),
  is_pinned: described(z.boolean(), "Whether it is pinned to the top of the list."),
  deleted_at: described(z.nullable(timestamp), "When it was moved to the trash; null if it is not there."),
  assistant_id: described(z.nullable(z.string()), "The assistant of the thread; null for the default one."),
  model: described(z.nullable(z.string()), "The model of the thread; null for the default one."),
  reasoning_effort: described(
    z.nullable(reasoningEffort),
    "How hard its models think; null for the assistant's choice.",
  ),
  local_only: described(
    z.boolean(),
    "Whether only models in the server's own network may answer and title it.",
  ),
  folder_id: described(z.nullable(z.string()), "Its folder; null if it is in none."),
  tag_ids: described(z.array(z.string()), "Its tags, by name."),
  temporary_until: described(
    z.nullable(timestamp),
    "When a temporary thread is erased; null for others. Lists and search leave it out.",
  ),
  active_run_id: described(z.nullable(z.string()), "The newest run that has not ended."),
  needs_action: described(z.boolean(), "Whether a run waits for a person to allow or answer a tool call."),
  allowed_tools: described(
    z.array(z.string()),
    "Tools that may run in this thread without approval, because the person allowed them always.",
  ),
  sharing: described(
    z.optional(
      z.object({
        access: described(z.enum(["owner", "write", "read"]), "What you may do in it."),
        owner_name: z.nullable(z.string()),
      }),
    ),
    "In the web app, for a thread that is shared with people or groups.",
  ),
});
export type Thread = z.infer<typeof thread>;

const threadCreate = z
  .object({
    id: described(
      z.optional(anyId),
      "An id that you created: thread_0 and 24 characters. Repeating the request returns the same thread.",
    ),
    last_message_at: described(instant, "When its newest message was sent: usually now."),
    title: described(z.optional(title), "A title that a person chose."),
    metadata: described(
      z.optional(z.nullable(metadata)),
      "Any JSON object of at most 16 KiB, stored unchanged except for the key `parlance`.",
    ),
    external_id: described(z.optional(z.nullable(name)), "An id of your own to find it by."),
    upsert: described(
      z.optional(z.boolean()),
      "With external_id: return the oldest thread with that id instead of creating another one.",
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
    title: described(z.optional(title), "A new title. Models never replace it."),
    last_message_at: described(z.optional(instant), "When its newest message was sent."),
    metadata: described(
      z.optional(z.nullable(metadata)),
      "Replaces the stored metadata; null removes it. Folder and tags stay.",
    ),
    is_archived: described(z.optional(z.boolean()), "Move it into or out of the archive."),
    is_pinned: described(z.optional(z.boolean()), "Pin or unpin it."),
    assistant_id: described(
      z.optional(z.nullable(name)),
      "The assistant of the thread; null for the default one.",
    ),
    model: described(z.optional(z.nullable(name)), "The model of the thread; null for the default one."),
    reasoning_effort: described(
      z.optional(z.nullable(reasoningEffort)),
      "How hard its models think; null for the assistant's choice.",
    ),
    local_only: described(
      z.optional(z.boolean()),
      "Allow only models in the server's own network. A request to another one then fails; no other model replaces it.",
    ),
    folder_id: described(z.optional(z.nullable(anyId)), "The folder to move it to; null for none."),
    tag_ids: described(
      z.optional(
        z
          .array(anyId)
          .check(z.maxLength(limits.tagsPerThread, `must have at most ${limits.tagsPerThread} tags`)),
      ),
      "Replaces its tags.",
    ),
    temporary: described(
      z.optional(z.enum(["open", "closing", "keep", "erase"])),
      "For a temporary thread: `open` postpones its erasure to 45 minutes from now, `closing` moves it to 2 minutes from now, `keep` makes it an ordinary thread, and `erase` erases it now. Others answer `bad-request`. Not with other fields.",
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

const claimRequest = z.object({
  refresh_token: described(
    z.string().check(z.minLength(1, "must not be empty")),
    "The refresh token of the anonymous user whose threads to move.",
  ),
});

const claimResponse = z.object({
  moved: described(z.number(), "The number of moved threads, without those in the trash."),
});

const trashListQuery = z.object({
  limit: z.optional(queryNumber(1, limits.threadPageMax)),
  after: z.optional(anyId),
});

/** The number of permanently deleted threads. */
const trashEmptyResponse = z.object({ deleted: z.number() });

export const threadListQuery = z.object({
  is_archived: described(z.optional(queryFlag), "List archived threads instead."),
  limit: described(
    z.optional(queryNumber(1, limits.threadPageMax)),
    `Page size. Default: ${limits.threadPage}. A shorter page is the last one.`,
  ),
  after: described(
    z.optional(anyId),
    "The id of the last thread of the previous page. An unknown id starts with the first page.",
  ),
  external_id: described(z.optional(anyId), "Only threads with this external id."),
  is_pinned: described(
    z.optional(queryFlag),
    "Only pinned threads, or only others. Default: both, sorted together.",
  ),
  folder_id: described(z.optional(anyId), "Only threads in this folder."),
  in_folder: described(z.optional(queryFlag), "Only threads in a folder, or only others."),
  tag_id: described(z.optional(anyId), "Only threads with this tag."),
});

export const threadEndpoints = endpoints("visitor", {
  "threads.list": {
    request: "GET /v1/threads",
    summary: "List threads, newest message first",
    description:
      "Lists threads that are not archived or, with `is_archived=true`, archived ones, sorted by their newest message. After a page of exactly `limit` threads there may be more: request the next page with `after`. Paging continues at the same place if threads change meanwhile. Pinned threads are sorted like the others; `is_pinned=true` lists only those.",
    query: threadListQuery,
    response: z.object({ threads: z.array(thread) }),
    example: { query: { limit: "20" } },
  },
  "threads.create": {
    request: "POST /v1/threads",
    audit: { none: "own-content" },
    summary: "Create a thread",
    description:
      "The status is 200 if the thread already exists: with `upsert` and an `external_id`, or if you repeat a request with an `id` that you created.",
    body: threadCreate,
    bodyBytesMax: limits.formBodyBytes,
    isWrite: true,
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
    request: "POST /v1/threads/claim",
    audit: { none: "own-content" },
    summary: "Move the threads of an anonymous user to your workspace",
    description:
      "For a person who used the service without an account and then signs in. Moves the anonymous user's threads with all their data to the caller's workspace. Repeating the request moves nothing.",
    body: claimRequest,
    response: claimResponse,
    errors: ["anonymous-cannot-claim", "invalid-refresh-token", "quota-full"],
    example: { body: { refresh_token: "$REFRESH_TOKEN" } },
  },
  "threads.get": {
    request: "GET /v1/threads/{thread_id}",
    members: "read",
    summary: "Get a thread",
    description: "A thread in the trash is not found.",
    response: z.object({ thread }),
  },
  "threads.update": {
    request: "PUT /v1/threads/{thread_id}",
    audit: { none: "own-content" },
    summary: "Rename, archive, pin or change a thread",
    description:
      "Changes the given fields only. Models never replace a title that a person chose. A new assistant or model answers from the next message on. A temporary thread can only get another assistant, model or reasoning effort, become `local_only`, or be kept; everything else answers `thread-temporary`.",
    body: threadUpdate,
    bodyBytesMax: limits.formBodyBytes,
    isWrite: true,
    errors: ["assistant-not-found", "label-not-found", "thread-temporary", "quota-full"],
    example: { body: { title: "The garden in spring", is_pinned: true } },
  },
  "threads.remove": {
    request: "DELETE /v1/threads/{thread_id}",
    audit: { none: "own-content" },
    summary: "Move a thread to the trash",
    description:
      "All calls except `restore` return 404 for it. After 30 days it is deleted permanently with its messages. Its runs still count towards usage. A temporary thread is erased instead.",
  },
  "threads.restore": {
    request: "POST /v1/threads/{thread_id}/restore",
    audit: { none: "own-content" },
    summary: "Restore a thread from the trash",
    description: "Restores the thread unchanged.",
    response: z.object({ thread }),
  },
  "threads.askAgain": {
    request: "DELETE /v1/threads/{thread_id}/allowed-tools/{tool_name}",
    audit: { none: "own-content" },
    summary: "Require approval for a tool again",
    description:
      "Reverts an approval with `always`. The thread's `allowed_tools` lists these tools. Repeating the request changes nothing.",
  },
  "trash.list": {
    request: "GET /v1/trash",
    summary: "List the threads in the trash, newest first",
    description: "After a page of exactly `limit` threads there may be more; pass its last id as `after`.",
    query: trashListQuery,
    response: z.object({ threads: z.array(thread) }),
    errors: ["bad-cursor"],
    example: { query: { limit: "20" } },
  },
  "trash.empty": {
    request: "DELETE /v1/trash",
    audit: { none: "own-content" },
    summary: "Empty the trash",
    description:
      "Permanently deletes all threads in the trash. This cannot be undone. `deleted` is their number.",
    response: trashEmptyResponse,
  },
  "trash.remove": {
    request: "DELETE /v1/trash/{thread_id}",
    audit: { none: "own-content" },
    summary: "Permanently delete a thread in the trash",
    description: "This cannot be undone. A thread that is not in the trash is not found.",
  },
});
