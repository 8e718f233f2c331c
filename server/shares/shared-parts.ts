import { isJsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import type { Part } from "#contract/parts/kinds.ts";
import { editedFrom, readStored } from "#contract/parts/stored.ts";
import type { SharedPart } from "#contract/parts/share-page.ts";
import { findFileUrls, replaceFileUrls, signedMarker } from "../lib/file-urls/file-urls.ts";

/** The address of a file under the link, or an empty one. */
export type AddressOf = (fileId: string) => string;

/**
 * What other people may see of a stored message: words, files, and sources on the web. Reasoning and tool calls stay
 * private, because they can contain other threads; and so do the addresses of files, which open them for everyone.
 */
export function sharedParts(format: string, content: string, addressOf: AddressOf): SharedPart[] {
  const { parts, attached } = readStored(format, JSON.parse(replaceFileUrls(content, addressOf)));
  return [
    ...parts.flatMap(sharedPart),
    // Some clients store the text of an attached file as a text part.
    ...attached.flatMap(({ name, mediaType = "text/plain", parts: contents }) =>
      contents.flatMap((part): SharedPart[] =>
        part.type === "text"
          ? [
              {
                type: "file",
                data: "",
                mimeType: mediaType,
                ...(name === undefined ? {} : { filename: name }),
              },
            ]
          : sharedPart(part),
      ),
    ),
  ];
}

/** Whether a person edited the stored answer by hand. Few are, so most are not parsed for it. */
export function isEditedByHand(content: string): boolean {
  return content.includes('"edited_from"') && editedFrom(JSON.parse(content)) !== undefined;
}

/** The files in what other people may see of a stored message. */
export function sharedFiles({ format, content }: { format: string; content: string }): string[] {
  if (!content.includes("/file_0")) return [];
  const parts = sharedParts(format, content, markedAddress);
  return findFileUrls(JSON.stringify(parts)).map(({ id }) => id);
}

/** An address that names a file without its secret. */
export function markedAddress(fileId: string): string {
  return `/v1/content/${fileId}/${signedMarker}`;
}

/** The beginning of a message that is too long to be rendered. */
export function cutParts(parts: readonly SharedPart[]): { parts: SharedPart[]; isCut: boolean } {
  let rest: number = limits.shareMessageCharacters;
  let isCut = parts.length > limits.runPartsMax;
  const fitting = parts.slice(0, limits.runPartsMax).flatMap((part): SharedPart[] => {
    if (part.type !== "text") return [part];
    const text = part.text.slice(0, rest).toWellFormed();
    rest -= text.length;
    if (text.length < part.text.length) isCut = true;
    return text === "" ? [] : [{ ...part, text }];
  });
  return { parts: fitting, isCut };
}

/** Only the known fields: unknown ones can contain anything. */
function sharedPart(part: Part): SharedPart[] {
  const named = "filename" in part && part.filename !== undefined ? { filename: part.filename } : {};
  if (part.type === "text") return [{ type: "text", text: part.text }];
  if (part.type === "image") return [{ type: "image", image: part.image, ...named }];
  if (part.type === "file") return [{ type: "file", data: part.data, mimeType: part.mimeType, ...named }];
  if (part.type === "audio" && isJsonObject(part.audio))
    return [{ type: "audio", audio: { data: part.audio.data, format: part.audio.format } }];
  if (part.type === "source" && part.sourceType === "url" && /^https?:\/\//i.test(part.url)) {
    const { type, sourceType, id, url, title } = part;
    return [{ type, sourceType, id, url, ...(title === undefined ? {} : { title }) }];
  }
  return [];
}
