import { isJsonObject } from "#contract/json.ts";
import { listOf } from "../other-services/fields.ts";
import type { NotYet } from "../importer.ts";

/** What ChatGPT's export has in files beside the conversations, and what has no place here. */
export const besideConversations: readonly NotYet[] = [
  {
    kind: "chatgpt",
    files: /^(?:.*\/)?shared_conversations\.json$/,
    recognizes: (value) =>
      isJsonObject(value) && typeof value.conversation_id === "string" && "is_anonymous" in value,
    countOf: () => ({ "shared links": 1 }),
  },
  {
    kind: "chatgpt",
    files: /^(?:.*\/)?message_feedback\.json$/,
    recognizes: (value) =>
      isJsonObject(value) && typeof value.conversation_id === "string" && typeof value.rating === "string",
    countOf: () => ({ ratings: 1 }),
  },
  {
    kind: "chatgpt",
    files: /^(?:.*\/)?group_chats\.json$/,
    recognizes: (value) => isJsonObject(value) && Array.isArray(value.chats),
    countOf: (value) => ({ "group chats": listOf(value.chats).length }),
  },
];
