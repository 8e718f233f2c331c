import { isoTime } from "#server/lib/clock.ts";
import type { Readable } from "node:stream";
import type { ExportedFile } from "#contract/endpoints/exports.ts";
import type { TransferFiles } from "#server/files/transfer-files.ts";
import type { StoredFile } from "#server/files/contents.ts";
import type { ArchiveFile } from "./archive.ts";
import { attachedFileName } from "./file-name.ts";

/** The files of an export. Each is exported once, even if several threads reference it under different names. */
export type ExportFiles = {
  /** The files that a thread's messages reference, each with its path in the zip. */
  ofThread(workspaceId: string, threadId: string): Promise<ExportFile[]>;
  /** Opens the files that are not exported yet, one after another. Skips lost bytes. Throws `BlobsUnreachableError`. */
  unsent(files: ExportFile[]): AsyncGenerator<ArchiveFile>;
};

export type ExportFile = { file: StoredFile; path: string };

export function createExportFiles(transferFiles: TransferFiles): ExportFiles {
  const paths = new Map<string, string>();
  const sent = new Set<string>();

  return {
    async ofThread(workspaceId, threadId) {
      const found = await transferFiles.ofThread(workspaceId, threadId);
      return found.map((file) => {
        const path = paths.get(file.sha256) ?? `files/${attachedFileName(file)}`;
        paths.set(file.sha256, path);
        return { file, path };
      });
    },

    async *unsent(files) {
      for (const { file, path } of files) {
        if (sent.has(path)) continue;
        sent.add(path);
        // The bytes are lost. The export contains only the description.
        const bytes = await transferFiles.open(file);
        if (bytes === undefined) continue;
        try {
          yield archiveFile(path, file, bytes);
        } finally {
          bytes.destroy();
        }
      }
    },
  };
}

// Not compressed: most files are compressed already, and an import must not take one for a zip bomb.
function archiveFile(name: string, file: StoredFile, bytes: Readable): ArchiveFile {
  return { name, modified: new Date(file.created_at), isCompressed: true, chunks: () => bytes };
}

/** `path`: of its bytes in the zip, or `null`. */
export function describe(file: StoredFile, path: string | null): ExportedFile {
  return {
    id: file.id,
    name: file.name,
    type: file.type,
    size_bytes: file.size_bytes,
    sha256: file.sha256,
    created_at: isoTime(file.created_at),
    path,
  };
}
