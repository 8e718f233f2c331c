import type { Readable } from "node:stream";
import type { ExportedFile } from "#contract/endpoints/exports.ts";
import type { TransferFiles } from "#server/files/transfer-files.ts";
import type { StoredFile } from "#server/files/contents.ts";
import type { ArchiveFile } from "./archive.ts";
import { attachedFileName } from "./file-name.ts";

/** The files of an export: each goes out once, however many threads speak of it, and whatever it is called there. */
export type Attached = {
  /** What a thread's messages speak of, each with its place in the zip. */
  ofThread(workspaceId: string, threadId: string): Promise<AttachedFile[]>;
  /** Those that did not go out yet and whose bytes are here, opened one after the other. Throws `BlobsAwayError`. */
  unsent(files: AttachedFile[]): AsyncGenerator<ArchiveFile>;
};

export type AttachedFile = { file: StoredFile; path: string };

export function createAttached(carried: TransferFiles): Attached {
  const paths = new Map<string, string>();
  const sent = new Set<string>();

  return {
    async ofThread(workspaceId, threadId) {
      const found = await carried.ofThread(workspaceId, threadId);
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
        // Whoever reads the export finds a description without bytes, and the rest of it is whole.
        const bytes = await carried.open(file);
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

// As they are: most are packed already, and no file looks like a bomb to whoever brings it in.
function archiveFile(name: string, file: StoredFile, bytes: Readable): ArchiveFile {
  return { name, modified: new Date(file.created_at), isPacked: true, chunks: () => bytes };
}

/** `path`: where its bytes lie, if they go along. */
export function describe(file: StoredFile, path: string | null): ExportedFile {
  return {
    id: file.id,
    name: file.name,
    type: file.type,
    size_bytes: file.size_bytes,
    sha256: file.sha256,
    created_at: new Date(file.created_at).toISOString(),
    path,
  };
}
