import { isId } from "#contract/ids.ts";
import type { MissingFile } from "#contract/endpoints/imports.ts";
import type { JsonObject } from "#contract/json.ts";
import { findFileUrls, rewriteFileUrls } from "#server/lib/file-urls/file-urls.ts";
import type { ImportedFile, TransferFiles } from "#server/files/transfer-files.ts";
import { AppError } from "#server/lib/errors.ts";
import type { Visitor } from "#server/lib/route.ts";
import { derivedId } from "./derived-id.ts";
import { missingFile } from "./missing-file.ts";
import type { IncomingFile, Placeholders, ThreadSource } from "./thread-source.ts";

/** The files of an imported thread. Each is imported with the first message that references it. */
export type IncomingFiles = {
  /**
   * Imports the files of a message and returns its content with their new URLs, or with the placeholders of files that
   * cannot be imported. Throws what the blob store throws.
   */
  rewriteUrls(content: JsonObject, placeholders: Placeholders | undefined): Promise<JsonObject>;
  /** The ids in the export of the files that a message references. */
  referencedBy(content: JsonObject): string[];
  /** Reports files that a message has lost before. `messageId` is the id in the export. */
  addLost(messageId: string, lost: MissingFile[]): void;
  /** The number of new files, and the files that could not be imported. */
  report(): { files: number; missing: MissingFile[] };
};

export function createIncomingFiles(options: {
  transferFiles: TransferFiles;
  visitor: Visitor;
  /** The URL of the service, for stored URLs. */
  base: string;
  source: ThreadSource;
  described: IncomingFile[];
  signal: AbortSignal;
}): IncomingFiles {
  const { transferFiles, visitor, base, source, signal } = options;
  const described = new Map(options.described.map((file) => [file.id, file]));
  const here = new Map<string, ImportedFile>();
  const missing = new Map<string, MissingFile>();

  async function importFile(file: IncomingFile): Promise<void> {
    const { id, sha256, name, size_bytes: sizeBytes, path } = file;
    // The id depends on the bytes: a file with the same id and other bytes is another file.
    const derived = derivedId(
      "file",
      id,
      `${visitor.workspaceId} ${sha256}`,
      Date.parse(file.created_at ?? "") || 0,
    );
    const ids = isId("file", id) ? [id, derived] : [derived];
    const bytes = () => (path == null ? undefined : source.bytesOf?.(path));
    try {
      here.set(id, await transferFiles.import(visitor, { ids, name, sizeBytes, sha256 }, bytes, signal));
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof AppError)) throw error;
      missing.set(id, missingFile(name, error));
    }
  }

  /** Replaces the parts of files that could not be imported. */
  function withoutMissing(content: JsonObject, placeholders: Placeholders): JsonObject {
    if (!Array.isArray(content.content)) return content;
    const parts = content.content.map((part, index) => {
      const text = placeholders[index];
      const [file] = text === undefined ? [] : findFileUrls(JSON.stringify(part));
      return text !== undefined && file !== undefined && missing.has(file.id) ? { type: "text", text } : part;
    });
    return { ...content, content: parts };
  }

  return {
    referencedBy: (content) =>
      described.size === 0
        ? []
        : findFileUrls(JSON.stringify(content)).flatMap(({ id }) => (described.has(id) ? [id] : [])),
    async rewriteUrls(content, placeholders = []) {
      if (described.size === 0) return content;
      const text = JSON.stringify(content);
      let isMoved = false;
      for (const { id } of findFileUrls(text)) {
        const file = described.get(id);
        if (file === undefined || missing.has(id)) continue;
        if (!here.has(id)) await importFile(file);
        isMoved ||= here.has(id) && here.get(id)!.id !== id;
      }
      const moved = isMoved ? (JSON.parse(rewriteFileUrls(text, here, base)) as JsonObject) : content;
      return missing.size === 0 ? moved : withoutMissing(moved, placeholders);
    },
    addLost(messageId, lost) {
      for (const [index, file] of lost.entries()) missing.set(`${messageId} ${index}`, file);
    },
    report: () => ({
      files: [...here.values()].filter(({ isNew }) => isNew).length,
      missing: [...missing.values()],
    }),
  };
}
