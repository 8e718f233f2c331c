import type { MessageFacts } from "#web/data/threads/message-facts.ts";
import { t } from "#web/i18n/translate.ts";

/** Why an answer is incomplete; `undefined` for a complete one. */
export function endingText(reply: Pick<MessageFacts, "status" | "failure" | "runId">): string | undefined {
  if (reply.status.type !== "incomplete") return undefined;
  switch (reply.status.reason) {
    case "cancelled":
      return t("reply.stopped");
    case "length":
      return t("reply.length");
    case "interrupted":
      return t(reply.runId === undefined ? "reply.interruptedElsewhere" : "reply.interrupted");
    case "elsewhere":
      return t("reply.elsewhere");
    case "content-filter":
      return reply.failure?.message ?? t("reply.filtered");
    default:
      return reply.failure?.message ?? t("reply.failed");
  }
}

/** What an incomplete answer offers: one of ours with text can be continued, another one is generated again. */
export function endingAction(
  reply: Pick<MessageFacts, "status" | "runId">,
  isEmpty: boolean,
): "continue" | "try-again" | undefined {
  if (reply.status.type !== "incomplete" || reply.status.reason === "elsewhere") return undefined;
  const isFinal = reply.status.reason === "content-filter";
  return isFinal || isEmpty || reply.runId === undefined ? "try-again" : "continue";
}
