import { errorBody } from "#contract/errors.ts";
import { isId } from "#contract/ids.ts";
import type { MissingFile } from "#contract/endpoints/imports.ts";
import type { JsonObject } from "#contract/json.ts";
import { findFileUrls, rewriteFileUrls } from "#server/files/serving/file-urls.ts";
import type { ImportedFile, TransferFiles } from "#server/files/transfer-files.ts";
import { AppError } from "#server/lib/errors.ts";
import type { Visitor } from "#server/lib/route.ts";
import { derivedId } from "./derived-id.ts";
import type { IncomingFile, ThreadSource } from "./thread-source.ts";

/** The files of a thread that is brought in. Each comes when the first message speaks of it, and none without one. */
export type IncomingFiles = {
  /** The content of a message, leading to its files as they are here. Throws what the store throws. */
  settled(content: JsonObject): Promise<JsonObject>;
  /** How many are new here, and which did not come. */
  told(): { files: number; missing: MissingFile[] };
};

export function createIncomingFiles(options: {
  carried: TransferFiles;
  visitor: Visitor;
  /** Where the service is reached, for addresses that are stored. */
  base: string;
  source: ThreadSource;
  described: IncomingFile[];
  signal: AbortSignal;
}): IncomingFiles {
  const { carried, visitor, base, source, signal } = options;
  const described = new Map(options.described.map((file) => [file.id, file]));
  const here = new Map<string, ImportedFile>();
  const missing = new Map<string, MissingFile>();

  async function bring(file: IncomingFile): Promise<void> {
    const { id, sha256, name, size_bytes: sizeBytes, path } = file;
    // The bytes are part of what it is: a file of the same id that holds others is another one.
    const derived = derivedId(
      "file",
      id,
      `${visitor.workspaceId} ${sha256}`,
      Date.parse(file.created_at ?? "") || 0,
    );
    const ids = isId("file", id) ? [id, derived] : [derived];
    const bytes = () => (path == null ? undefined : source.bytesOf?.(path));
    try {
      here.set(id, await carried.import(visitor, { ids, name, sizeBytes, sha256 }, bytes, signal));
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof AppError)) throw error;
      const { code, message, details } = errorBody(error.code, undefined, error.details);
      missing.set(id, {
        name,
        error: { code, message, ...(details === undefined ? {} : { details }) },
      });
    }
  }

  return {
    async settled(content) {
      if (described.size === 0) return content;
      const text = JSON.stringify(content);
      let isMoved = false;
      for (const { id } of findFileUrls(text)) {
        const file = described.get(id);
        if (file === undefined || missing.has(id)) continue;
        if (!here.has(id)) await bring(file);
        isMoved ||= here.has(id) && here.get(id)!.id !== id;
      }
      return isMoved ? (JSON.parse(rewriteFileUrls(text, here, base)) as JsonObject) : content;
    },
    told: () => ({
      files: [...here.values()].filter(({ isNew }) => isNew).length,
      missing: [...missing.values()],
    }),
  };
}
