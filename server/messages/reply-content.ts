import type { Reply } from "#contract/fold.ts";
import type { JsonObject } from "#contract/json.ts";
import type { MessageStatus } from "#contract/messages.ts";

/** How a reply stands, in our own words, which the stored content only shadows. */
export type ReplyStatus = Pick<MessageStatus, "type" | "reason" | "error_code">;

/** A reply's status once its run has ended. */
export function endedStatus(reply: Reply): ReplyStatus {
  const end = reply.end;
  if (end === undefined) return { type: "running", reason: null, error_code: null };
  if (end.state === "cancelled") return incomplete("cancelled");
  if (end.state === "interrupted") return incomplete("interrupted");
  if (end.state === "failed") return { ...incomplete("error"), error_code: end.error?.code ?? "internal" };
  if (end.finishReason === "length" || end.finishReason === "content-filter") return incomplete(end.finishReason);
  return { type: "complete", reason: "stop", error_code: null };
}

/**
 * A reply as `aui/v0` content. What that format has no word for is said with the nearest one: an interrupted reply is
 * `incomplete/other`, and one that is still being written `incomplete/cancelled`, so that clients which cannot follow
 * our runs show what is there and do not wait.
 */
export function replyContent(reply: Reply): JsonObject {
  const status = endedStatus(reply);
  return {
    role: "assistant",
    content: reply.parts as unknown as JsonObject[],
    metadata: { custom: {} },
    status: shadow(status, reply.end?.error?.message),
  };
}

function shadow(status: ReplyStatus, errorMessage: string | undefined): JsonObject {
  if (status.type === "complete") return { type: "complete", reason: "stop" };
  if (status.type === "running") return { type: "incomplete", reason: "cancelled" };
  if (status.reason === "interrupted") return { type: "incomplete", reason: "other" };
  if (status.reason === "error") return { type: "incomplete", reason: "error", ...(errorMessage === undefined ? {} : { error: errorMessage }) };
  return { type: "incomplete", reason: status.reason };
}

function incomplete(reason: string): ReplyStatus {
  return { type: "incomplete", reason, error_code: null };
}
