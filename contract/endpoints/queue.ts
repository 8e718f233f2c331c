import * as z from "zod/mini";
import { userContent } from "../parts/schemas.ts";
import { anyId, emptyObject, exampleContent } from "./fields.ts";
import { limits } from "../limits.ts";
import { runStarted } from "./runs.ts";
import type { Endpoints } from "../endpoint.ts";

const queuedParams = z.object({ thread_id: anyId, queued_id: anyId });

/** New content for a queued message. */
const queuedUpdate = z.object({
  content: userContent,
  restore: z.optional(
    z
      .boolean()
      .check(
        z.describe(
          "If the message was removed from the queue less than a day ago, put it back in its place instead of returning 404.",
        ),
      ),
  ),
});

export const queueEndpoints = {
  "queue.update": {
    method: "PUT",
    path: "/v1/threads/{thread_id}/queue/{queued_id}",
    caller: "visitor",
    members: "write",
    audit: { none: "own-content" },
    summary: "Change a queued message",
    description: "It keeps its id and its place in the queue.",
    params: queuedParams,
    body: queuedUpdate,
    bodyBytesMax: limits.jsonBodyBytes,
    isWrite: true,
    kind: "json",
    status: 200,
    response: emptyObject,
    errors: ["queue-full", "quota-full", "member-quota-full"],
    example: { body: { content: exampleContent("And what grows in the sun?") } },
  },
  "queue.remove": {
    method: "DELETE",
    path: "/v1/threads/{thread_id}/queue/{queued_id}",
    caller: "visitor",
    members: "write",
    audit: { none: "own-content" },
    summary: "Remove a message from the queue",
    description: "It is not sent. An update with `restore` puts it back. Removing it again changes nothing.",
    params: queuedParams,
    kind: "json",
    status: 200,
    response: emptyObject,
  },
  "queue.send": {
    method: "POST",
    path: "/v1/threads/{thread_id}/queue/{queued_id}/send",
    caller: "visitor",
    members: "write",
    audit: { none: "own-content" },
    summary: "Send a held message from the queue",
    description:
      "For a message that is held because the answer before it failed or was stopped, or because the budget was used up. It becomes a message of the thread and a run starts. If an answer is still being written before it, the error is `thread-busy`.",
    params: queuedParams,
    kind: "json",
    status: 201,
    response: runStarted,
    errors: ["thread-busy", "budget-used", "budget-wait", "too-many-runs", "shutting-down"],
  },
} as const satisfies Endpoints;
