import { type AddEvent, type Kind, withStrings } from "./kind.ts";

/** `data` is a URL, a data URL or base64. */
export type FilePart = { type: "file"; data: string; mimeType: string; filename?: string };

export type FileEvent = AddEvent<FilePart>;

export const file: Kind<FilePart, FileEvent> = {
  text: () => "",
  read: (stored) => withStrings(stored, ["data", "mimeType"], ["filename"]),
  fromAiSdk: ({ type, url, mediaType, filename }) =>
    type === "file" ? { type, data: url, mimeType: mediaType, filename } : undefined,
  fold: { "file-add": (part, event) => part ?? event.file },
};
