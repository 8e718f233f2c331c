import { fileIdOf, storedAddress } from "#web/data/files/own-file.ts";

type Part = { readonly type: string };
export type FileInChat = {
  address: string;
  name?: string | undefined;
  mediaType?: string | undefined;
  isImage: boolean;
};

/** The address of a picture in Markdown. */
const picture = /!\[[^\]]*\]\(\s*<?([^\s)>]+)/g;

/** A stored file that the messages have: the first part with it, or else a picture of a text. */
export function fileInChat(
  messages: readonly { readonly parts: readonly Part[] }[],
  fileId: string,
): FileInChat | undefined {
  const parts = messages.flatMap((message) => message.parts) as readonly (Part & Record<string, unknown>)[];
  for (const { type, image, data, filename, mimeType } of parts) {
    const address = type === "image" ? image : type === "file" ? data : undefined;
    if (typeof address !== "string" || fileIdOf(address) !== fileId) continue;
    const name = typeof filename === "string" ? filename : undefined;
    const mediaType = typeof mimeType === "string" ? mimeType : undefined;
    return { address, name, mediaType, isImage: type === "image" };
  }
  const isInText = parts.some(
    ({ type, text }) =>
      type === "text" &&
      Array.from(String(text).matchAll(picture)).some(([, stored = ""]) => fileIdOf(stored) === fileId),
  );
  return isInText ? { address: storedAddress(fileId), isImage: true } : undefined;
}
