import type { Reply } from "#contract/fold.ts";
import type { JsonObject } from "#contract/json.ts";
import { parseThreadLink } from "#contract/thread-links.ts";
import { convertContent } from "../formats/convert.ts";
import { replyContent } from "../replies/reply-content.ts";
import { ownFormat } from "../write-messages.ts";

/**
 * An answer of the server in the format in which a client stores it. `undefined` for a format that the server does not
 * write, and for an answer with a tool call that the client's page has to carry out.
 */
export function answerContent(reply: Reply, format: string): JsonObject | undefined {
  if (reply.parts.some((part) => part.type === "tool-call" && part.result === undefined)) return undefined;
  const content = replyContent({ ...reply, parts: reply.parts.filter((part) => !isOwnPlace(part)) });
  return format === ownFormat ? content : convertContent(content, ownFormat, format);
}

/** A link of our own web app, which the client's page did not get either. */
function isOwnPlace(part: Reply["parts"][number]): boolean {
  if (part.type !== "source") return false;
  return part.sourceType === "url" && parseThreadLink(part.url) !== undefined;
}
