import * as z from "zod/mini";
import { userContent } from "../parts/schemas.ts";
import { described, exampleContent } from "./fields.ts";
import { limits } from "../limits.ts";
import { runStarted } from "./runs.ts";
import { endpoints } from "./endpoints.ts";

/** New content for a queued message. */
const queuedUpdate = z.object({
  content: userContent,
  restore: z.optional(
    described(
      z.boolean(),
      "If the message was removed from the queue less than a day ago, put it back in its place instead of returning 404.",
    ),
  ),
});

const common = { caller: "visitor", members: "write" } as const;

export const queueEndpoints = endpoints(common, {
  "queue.update": {
    request: "PUT /v1/threads/{thread_id}/queue/{queued_id}",
    audit: { none: "own-content" },
    summary: "Change a queued message",
    description: "It keeps its id and its place in the queue.",
    body: queuedUpdate,
    bodyBytesMax: limits.jsonBodyBytes,
    isWrite: true,
    errors: ["queue-full", "quota-full", "member-quota-full"],
    example: { body: { content: exampleContent("And what grows in the sun?") } },
  },
  "queue.remove": {
    request: "DELETE /v1/threads/{thread_id}/queue/{queued_id}",
    audit: { none: "own-content" },
    summary: "Remove a message from the queue",
    description: "It is not sent. An update with `restore` puts it back. Removing it again changes nothing.",
  },
  "queue.send": {
    request: "POST /v1/threads/{thread_id}/queue/{queued_id}/send",
    audit: { none: "own-content" },
    summary: "Send a held message from the queue",
    description:
      "For a message that is held because the answer before it failed or was stopped, or because the budget was used up. It becomes a message of the thread and a run starts. If an answer is still being written before it, the error is `thread-busy`.",
    status: 201,
    response: runStarted,
    errors: ["thread-busy", "budget-used", "budget-wait", "too-many-runs", "shutting-down"],
  },
});
