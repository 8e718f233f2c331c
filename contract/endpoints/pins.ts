import * as z from "zod/mini";
import { limits } from "../limits.ts";
import { endpoints } from "./endpoints.ts";

export const pinEndpoints = endpoints("visitor", {
  "messages.pin": {
    request: "PUT /v1/threads/{thread_id}/messages/{message_id}/pin",
    audit: { none: "own-content" },
    summary: "Pin or unpin a message",
    description: `Models read a pinned message in full, however long the thread is: no summary replaces it. Unpinning deletes the summaries that cover the message, because they may lack it. A thread can have ${limits.pinnedMessagesMax} pinned messages, with ${limits.pinnedCharactersMax} characters of text in all. If an imported thread has more, the first ones of a branch count.`,
    body: z.object({ is_pinned: z.boolean() }),
    bodyBytesMax: limits.formBodyBytes,
    errors: ["too-many-pins"],
    example: { body: { is_pinned: true } },
  },
});
