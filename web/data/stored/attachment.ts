import { isJsonObject, type JsonObject } from "#contract/json.ts";

/** What a client attached to a person's message, as parts of the message; a text file comes as words, and is a file again. */
export function fromAttachment(attachment: JsonObject): JsonObject[] {
  if (!Array.isArray(attachment.content)) return [];
  const named = typeof attachment.name === "string" ? { filename: attachment.name } : {};
  const mimeType = typeof attachment.contentType === "string" ? attachment.contentType : "text/plain";
  return attachment.content.filter(isJsonObject).map((part) => {
    if (part.type !== "text" || typeof part.text !== "string") return { ...named, ...part };
    // A lone surrogate has no place in an address.
    const data = `data:text/plain,${encodeURIComponent(part.text.toWellFormed())}`;
    return { type: "file", data, mimeType, ...named };
  });
}
