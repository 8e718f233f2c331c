import type { FilePart } from "#contract/parts/file.ts";
import { fileHandlers } from "./file-handlers.ts";
import type { PartHandlers } from "./kind.ts";

const { line, chunk, ...handlers } = fileHandlers(({ data, mimeType, filename }: FilePart) => ({
  data,
  mediaType: mimeType,
  filename,
}));

export const file: PartHandlers<"file"> = {
  ...handlers,
  dataStream: { "file-add": (_, part) => line(part) },
  uiMessageStream: { "file-add": (_, part) => chunk(part) },
};
