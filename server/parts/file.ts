import type { FilePart } from "#contract/parts/file.ts";
import { nothing, type PartToModel } from "./kind.ts";

export const file: PartToModel<FilePart> = {
  user: (part) => ({
    type: "file",
    data: part.data,
    mediaType: part.mimeType,
    ...(part.filename === undefined ? {} : { filename: part.filename }),
  }),
  assistant: nothing,
};
