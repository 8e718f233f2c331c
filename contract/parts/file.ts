import * as z from "zod/mini";
import type { Kind, PartEvent } from "./kind.ts";

/** `data` is an address, a data URL or base64. */
export type FilePart = { type: "file"; data: string; mimeType: string; filename?: string };

export type FileEvent = PartEvent<"file-add", { file: FilePart }>;

export const fileSchema: z.ZodMiniType<FilePart> = z.looseObject({
  type: z.literal("file"),
  data: z.string(),
  mimeType: z.string(),
});

export const file: Kind<FilePart, FileEvent> = {
  text: () => "",
  events: { "file-add": true },
  fold: (part, event) => part ?? event.file,
};
