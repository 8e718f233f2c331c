import type { ReplyView } from "#web/data/threads/reply.ts";
import { t } from "#web/i18n/translate.ts";

/** What is said of an answer that did not end well; `undefined` of every other. */
export function endingWords(reply: Pick<ReplyView, "status" | "failure">): string | undefined {
  if (reply.status.type !== "incomplete") return undefined;
  switch (reply.status.reason) {
    case "cancelled":
      return t("reply.stopped");
    case "length":
      return t("reply.length");
    case "interrupted":
      return t("reply.interrupted");
    case "content-filter":
      return reply.failure?.message ?? t("reply.filtered");
    default:
      return reply.failure?.message ?? t("reply.failed");
  }
}
