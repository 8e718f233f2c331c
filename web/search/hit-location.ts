import type { ThreadLink } from "#contract/thread-links.ts";
import type { SearchHit } from "#contract/endpoints/search.ts";

/** The place that a hit links to: a thread, a message, or a file of a message. */
export function linkOfHit({ thread_id: threadId, message_id: messageId, file }: SearchHit): ThreadLink {
  if (messageId === null) return { threadId };
  return file === null ? { threadId, messageId } : { threadId, messageId, fileId: file.id };
}
