import { isJsonObject, type Json } from "#contract/json.ts";
import { unreadFilesName, type UnreadFile } from "#contract/parts/unread-files.ts";
import type { Part } from "#contract/parts/kinds.ts";
import type { RecordedRequest } from "#fixtures/model-server/model-server.ts";

/** The input of a model from user messages: texts, and files as the provider's API represents them. */
export function modelInputOf(request: RecordedRequest): {
  texts: string;
  pictures: string[];
  others: Json[];
} {
  const messages = (request.body?.messages ?? []) as { role: string; content: Json }[];
  const parts = messages
    .filter(({ role }) => role === "user")
    .flatMap(({ content }) => (Array.isArray(content) ? content : [{ type: "text", text: content }]))
    .filter(isJsonObject);
  return {
    texts: parts.map(({ text }) => (typeof text === "string" ? text : "")).join("\n"),
    pictures: parts.flatMap(({ image_url: image }) =>
      isJsonObject(image) && typeof image.url === "string" ? [image.url] : [],
    ),
    others: parts.filter(({ type }) => type !== "text" && type !== "image_url"),
  };
}

/** The files that the answer reports as not sent to the model. */
export function unreadFilesOf(parts: readonly Part[]): UnreadFile[] {
  return parts.flatMap((part) =>
    part.type === "data" && part.name === unreadFilesName ? (part.data as UnreadFile[]) : [],
  );
}
