import type { Reply } from "#contract/fold.ts";
import type { JsonObject } from "#contract/json.ts";
import type { MessageStatus } from "#contract/endpoints/messages.ts";
import { replyStatus } from "#contract/reply-status.ts";

/**
 * A reply as `aui/v0` content. Statuses that the format does not have become the nearest ones: an interrupted reply is
 * `incomplete/other`. A running reply is `incomplete/cancelled`, so that clients that cannot follow our runs show its
 * text instead of waiting. `metadata.custom.retry_at` is the `retry_at` of a failed run.
 */
export function replyContent(reply: Reply): JsonObject {
  const status = replyStatus(reply);
  const retryAt = reply.end?.error?.retry_at;
  return {
    role: "assistant",
    content: reply.parts as unknown as JsonObject[],
    metadata: { custom: retryAt === undefined ? {} : { retry_at: retryAt } },
    status: auiStatus(status, reply.end?.error?.message),
  };
}

function auiStatus(status: MessageStatus, errorMessage: string | undefined): JsonObject {
  if (status.type === "complete") return { type: "complete", reason: "stop" };
  if (status.type === "requires-action") return { type: "requires-action", reason: "tool-calls" };
  if (status.type === "running") return { type: "incomplete", reason: "cancelled" };
  if (status.reason === "interrupted") return { type: "incomplete", reason: "other" };
  if (status.reason === "error")
    return {
      type: "incomplete",
      reason: "error",
      ...(errorMessage === undefined ? {} : { error: errorMessage }),
    };
  return { type: "incomplete", reason: status.reason };
}
