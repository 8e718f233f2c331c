import * as z from "zod/mini";
import { endpoints } from "./endpoints.ts";
import { limits } from "../limits.ts";
import { described, title } from "./fields.ts";

const branchCopy = z.object({
  title: described(z.optional(title), "The title of the new thread. Default: that of this one."),
});

export const branchCopyEndpoints = endpoints("visitor", {
  "messages.copyBranch": {
    request: "POST /v1/threads/{thread_id}/messages/{message_id}/copy",
    audit: { none: "own-content" },
    summary: "Copy a branch into a new thread",
    description: `Copies the messages from the top of the thread down to this one, to continue there: their content, times, pins and authors, with new ids. The files are shared, not copied. The new thread has the same assistant and model. An answer that is still being written is left out. Of a longer branch, only the last ${limits.copiedMessagesMax} messages are copied.`,
    body: branchCopy,
    bodyBytesMax: limits.formBodyBytes,
    isWrite: true,
    status: 201,
    response: z.object({ thread_id: described(z.string(), "The new thread.") }),
    errors: ["thread-temporary", "quota-full"],
    example: { body: { title: "What grows in deep shade?" } },
  },
});
