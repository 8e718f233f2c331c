import type { ResponseOf } from "#contract/api.ts";
import { BlobMissingError } from "#storage/blobs/blobs.ts";
import type { Contents } from "../files/contents.ts";
import { AppError } from "../lib/errors.ts";
import type { Visitor } from "../lib/route.ts";
import { ExtractionError } from "./extraction-error.ts";
import { storedSource } from "./file-source.ts";
import type { Texts } from "./texts.ts";

/**
 * The text of a file of the visitor's workspace, which is extracted if it is not stored yet. Throws `file-not-found` and
 * the signal's reason.
 */
export type ReadFileText = (
  visitor: Pick<Visitor, "workspaceId">,
  id: string,
  signal: AbortSignal,
) => Promise<ResponseOf<"files.text">>;

export function createReadFileText(options: { contents: Contents; texts: Texts }): ReadFileText {
  const { contents, texts } = options;
  return async ({ workspaceId }, id, signal) => {
    const file = (await contents.find(workspaceId, [id])).get(id);
    if (file === undefined) throw new AppError("file-not-found");
    const facts = { type: file.type, size_bytes: file.size_bytes };
    try {
      const { text, isCut, recognized } = await texts.extract(storedSource(contents, file), signal);
      return { ...facts, text, complete: !isCut, recognized_pages: recognized?.pages ?? 0, reason: null };
    } catch (error) {
      if (error instanceof ExtractionError)
        return { ...facts, text: null, complete: false, recognized_pages: 0, reason: error.reason };
      if (error instanceof BlobMissingError) throw new AppError("file-not-found", { cause: error });
      throw error;
    }
  };
}
