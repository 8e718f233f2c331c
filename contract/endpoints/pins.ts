import * as z from "zod/mini";
import { limits } from "../limits.ts";
import { anyId, emptyObject } from "./fields.ts";
import type { Endpoints } from "../endpoint.ts";

export const pinEndpoints = {
  "messages.pin": {
    method: "PUT",
    path: "/v1/threads/{thread_id}/messages/{message_id}/pin",
    caller: "visitor",
    audit: { none: "own-content" },
    summary: "Pin or unpin a message",
    description: `Models read a pinned message in full, however long the thread is: no summary replaces it. Unpinning deletes the summaries that cover the message, because they may lack it. A thread can have ${limits.pinnedMessagesMax} pinned messages, with ${limits.pinnedCharactersMax} characters of text in all. If an imported thread has more, the first ones of a branch count.`,
    params: z.object({ thread_id: anyId, message_id: anyId }),
    body: z.object({ is_pinned: z.boolean() }),
    bodyBytesMax: limits.formBodyBytes,
    kind: "json",
    status: 200,
    response: emptyObject,
    errors: ["message-not-found", "too-many-pins"],
    example: { body: { is_pinned: true } },
  },
} as const satisfies Endpoints;
