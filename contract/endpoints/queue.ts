import * as z from "zod/mini";
import { userContent } from "../parts/schemas.ts";
import { anyId, empty, exampleContent } from "./fields.ts";
import { limits } from "../limits.ts";
import { runStarted } from "./runs.ts";
import type { Endpoints } from "../endpoint.ts";

export const queuedParams = z.object({ thread_id: anyId, queued_id: anyId });

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

export const queueEndpoints = {
  "queue.update": {
    method: "PUT",
    path: "/v1/threads/{thread_id}/queue/{queued_id}",
    caller: "visitor",
    summary: "Change the words of a message that waits for its turn",
    description: "It keeps its place in the queue, and its id.",
    params: queuedParams,
    body: queuedUpdate,
    bodyBytesMax: limits.jsonBodyBytes,
    kind: "json",
    status: 200,
    response: empty,
    example: { body: { content: exampleContent("And what grows in the sun?") } },
  },
  "queue.remove": {
    method: "DELETE",
    path: "/v1/threads/{thread_id}/queue/{queued_id}",
    caller: "visitor",
    summary: "Take a message out of the queue",
    description:
      "It is never said, unless `restore` in a change of its words puts it back. Taken out a second time, nothing happens.",
    params: queuedParams,
    kind: "json",
    status: 200,
    response: empty,
  },
  "queue.send": {
    method: "POST",
    path: "/v1/threads/{thread_id}/queue/{queued_id}/send",
    caller: "visitor",
    summary: "Send a queued message now, where nothing is being written before it",
    description:
      "For one that is held because the answer before it did not end well. It becomes a message and is answered.",
    params: queuedParams,
    kind: "json",
    status: 201,
    response: runStarted,
    errors: ["thread-busy", "too-many-runs"],
  },
} as const satisfies Endpoints;
