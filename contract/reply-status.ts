import type { Reply } from "./fold.ts";
import type { MessageStatus } from "./endpoints/messages.ts";

/** The status of a folded reply. The server stores it when the run waits or ends. */
export function replyStatus({ end, pendingParts }: Reply): MessageStatus {
  if (end === undefined && pendingParts !== undefined)
    return { type: "requires-action", reason: "tool-calls", error_code: null };
  if (end === undefined) return { type: "running", reason: null, error_code: null };
  if (end.state === "cancelled" || end.state === "interrupted") return incomplete(end.state);
  if (end.state === "failed") return { ...incomplete("error"), error_code: end.error?.code ?? "internal" };
  if (end.finishReason === "length" || end.finishReason === "content-filter")
    return incomplete(end.finishReason);
  return { type: "complete", reason: "stop", error_code: null };
}

function incomplete(reason: string): MessageStatus {
  return { type: "incomplete", reason, error_code: null };
}
