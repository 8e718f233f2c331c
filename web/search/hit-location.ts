import type { Place } from "#contract/places.ts";
import type { SearchHit } from "#contract/endpoints/search.ts";

/** Where a hit leads: to its thread, to its message there, or to the file of that. */
export function placeOf({ thread_id: threadId, message_id: messageId, file }: SearchHit): Place {
  if (messageId === null) return { threadId };
  return file === null ? { threadId, messageId } : { threadId, messageId, fileId: file.id };
}
