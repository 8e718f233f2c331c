import type { ArchiveLine, Contents, Head } from "./archive.ts";
import { writeArchive } from "./archive-file.ts";
import { backupTables, tablesWithSecrets } from "./backup-tables.ts";
import type { BackupFile } from "./insert-backup.ts";
import type { Blobs } from "../blobs/blobs.ts";
import { blobLines, type BlobProblems } from "./blob-lines.ts";
import type { BackupPlace, Snapshot } from "./snapshot.ts";
import { withSnapshot } from "./open-snapshot.ts";

type Options = {
  place: BackupPlace;
  /** The path of the new archive, or what writes its lines elsewhere. */
  path: string | ((lines: AsyncIterable<ArchiveLine>) => Promise<Contents>);
  /** Whether the tables with secrets are part of it. Only for an archive that is encrypted. */
  withSecrets?: boolean;
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
  const work = async (snapshot: Snapshot): Promise<Contents> => {
    const { engine, migrations, tables } = snapshot;
    const files = [...options.files, ...((await options.filesFrom?.(snapshot)) ?? [])];
    const head: Head = {
      parlance_backup: blobs === undefined ? 1 : 2,
      version,
      created_at: new Date(nowMs).toISOString(),
      engine,
      migrations,
    };
    const ofBlobs = blobs === undefined ? [] : blobLines(snapshot, blobs.store, blobs.problems);
    const all = lines(head, files, tables, ofBlobs);
    return typeof path === "string" ? await writeArchive(path, all) : await path(all);
  };
  const tables = options.withSecrets === true ? tablesWithSecrets : backupTables;
  return await withSnapshot(place, work, { tables });
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
