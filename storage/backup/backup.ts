import type { ArchiveLine, Contents, Head } from "./archive.ts";
import { writeArchive } from "./archive.ts";
import type { BackupFile } from "./insert-backup.ts";
import type { Blobs } from "../blobs/blobs.ts";
import { blobLines, type BlobProblems } from "./blob-lines.ts";
import type { BackupPlace, Snapshot } from "./snapshot.ts";
import { withSnapshot } from "./open-snapshot.ts";

type Options = {
  place: BackupPlace;
  /** The path of the new archive. */
  path: string;
  /** Files to add to the archive. */
  files: BackupFile[];
  /** More files, from queries in the snapshot. */
  filesFrom?: ((snapshot: Pick<Snapshot, "rows">) => Promise<BackupFile[]>) | undefined;
  /** The version of this program. */
  version: string;
  nowMs: number;
  /** The store of attached files, if they are part of the backup. */
  blobs: { store: Blobs; problems: BlobProblems } | undefined;
};

/**
 * Writes a snapshot of the database to an archive, while servers may be running. Throws
 * `NoDatabaseError`, `SchemaVersionError`, `ArchiveError`, `StorageFullError`, `StorageBusyError`.
 */
export async function backUp({ place, path, version, nowMs, blobs, ...options }: Options): Promise<Contents> {
  return await withSnapshot(place, async (snapshot) => {
    const { engine, migrations, tables } = snapshot;
    const files = [...options.files, ...((await options.filesFrom?.(snapshot)) ?? [])];
    const head: Head = {
      parlance_backup: blobs === undefined ? 1 : 2,
      version,
      created_at: new Date(nowMs).toISOString(),
      engine,
      migrations,
    };
    return await writeArchive(
      path,
      lines(head, files, tables, blobs === undefined ? [] : blobLines(snapshot, blobs.store, blobs.problems)),
    );
  });
}

async function* lines(
  head: Head,
  files: BackupFile[],
  tables: AsyncIterable<ArchiveLine>,
  blobs: AsyncIterable<ArchiveLine> | ArchiveLine[],
): AsyncGenerator<ArchiveLine> {
  yield { type: "head", head };
  for (const { name, text } of files) yield { type: "file", name, text };
  yield* tables;
  yield* blobs;
}
