import * as z from "zod/mini";
import { endpoints } from "./endpoints.ts";
import { limits } from "../limits.ts";
import { anyId, described, instant, queryFlag } from "./fields.ts";

const messagesRemove = z.object({
  message_ids: described(
    z
      .array(anyId)
      .check(
        z.minLength(1, "must name at least one message"),
        z.maxLength(limits.messagesRemovedMax, `must name at most ${limits.messagesRemovedMax} messages`),
      ),
    "The messages to delete.",
  ),
});

const messagesRemoveQuery = z.object({
  descendants: described(
    z.optional(queryFlag),
    "Also delete everything below these messages. Otherwise their children move up to the parent of the deleted message.",
  ),
  until: described(
    z.optional(instant),
    "With `descendants`: keeps what was written below after this time, which moves up. For deletions that are delayed.",
  ),
});

export const messageRemovalEndpoints = endpoints("visitor", {
  "messages.remove": {
    request: "DELETE /v1/threads/{thread_id}/messages",
    audit: { none: "own-content" },
    summary: "Delete messages",
    description:
      "The children of a deleted message move up to its parent, as clients of the hosted protocol expect, and every `height` below is updated. With `descendants=true` everything below is deleted too. If an answer is still being written into a deleted message, its run stops. Messages that were queued behind a deleted reply wait behind the message above it, until someone sends them. Ids that are not in the thread are ignored, but at least one must exist.",
    query: messagesRemoveQuery,
    body: messagesRemove,
    bodyBytesMax: limits.formBodyBytes,
    errors: ["messages-not-found"],
    example: { body: { message_ids: ["$MESSAGE_ID"] } },
  },
});
