import { isJsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import type { PartKind, PartOf } from "#contract/parts/kinds.ts";
import { editedFrom, readStored } from "#contract/parts/stored.ts";
import type { SharedPart } from "#contract/parts/share-page.ts";
import { findFileUrls, replaceFileUrls, signedMarker } from "../lib/file-urls/file-urls.ts";
import { isOnTheWeb } from "../parts/other-threads.ts";

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
          ? [{ type: "file", data: "", mimeType: mediaType, ...named(name) }]
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

function sharedPart<K extends PartKind>(part: PartOf<K>): SharedPart[] {
  return shared[part.type as K](part);
}

/** Only the known fields of each kind: unknown ones can contain anything. */
const shared: { [K in PartKind]: (part: PartOf<K>) => SharedPart[] } = {
  text: ({ text }) => [{ type: "text", text }],
  reasoning: () => [],
  source(part) {
    if (part.sourceType !== "url" || !isOnTheWeb(part.url)) return [];
    const { type, sourceType, id, url, title } = part;
    return [{ type, sourceType, id, url, ...(title === undefined ? {} : { title }) }];
  },
  image: ({ image, filename }) => [{ type: "image", image, ...named(filename) }],
  file: ({ data, mimeType, filename }) => [{ type: "file", data, mimeType, ...named(filename) }],
  audio: ({ audio }) =>
    isJsonObject(audio) ? [{ type: "audio", audio: { data: audio.data, format: audio.format } }] : [],
  "tool-call": () => [],
  data: () => [],
};

function named(filename: string | undefined): { filename?: string } {
  return filename === undefined ? {} : { filename };
}
