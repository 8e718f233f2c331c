import type { ArchiveLine, Contents, Head } from "./archive.ts";
import { writeArchive } from "./archive.ts";
import type { KeptFile } from "./fill.ts";
import type { Blobs } from "../blobs/blobs.ts";
import { blobLines, type Untrue } from "./blob-lines.ts";
import type { BackupPlace } from "./snapshot.ts";
import { withSnapshot } from "./open-snapshot.ts";

type Options = {
  place: BackupPlace;
  /** Where the archive is to be. */
  path: string;
  /** What goes along with the rows. */
  files: KeptFile[];
  /** This program's own. */
  version: string;
  nowMs: number;
  /** The store of what people attached, where that is to go along; `untrue` is told what is not what it was. */
  blobs: { store: Blobs; untrue: Untrue } | undefined;
};

/**
 * Copies everything that the database holds as of this moment into an archive, while servers go on. Throws
 * `NoDatabaseError`, `SchemaVersionError`, `ArchiveError`, `StorageFullError`, `StorageBusyError`.
 */
export async function backUp({ place, path, files, version, nowMs, blobs }: Options): Promise<Contents> {
  return await withSnapshot(place, async (snapshot) => {
    const { engine, migrations, tables } = snapshot;
    const head: Head = {
      parlance_backup: blobs === undefined ? 1 : 2,
      version,
      created_at: new Date(nowMs).toISOString(),
      engine,
      migrations,
    };
    return await writeArchive(
      path,
      lines(head, files, tables, blobs === undefined ? [] : blobLines(snapshot, blobs.store, blobs.untrue)),
    );
  });
}

async function* lines(
  head: Head,
  files: KeptFile[],
  tables: AsyncIterable<ArchiveLine>,
  blobs: AsyncIterable<ArchiveLine> | ArchiveLine[],
): AsyncGenerator<ArchiveLine> {
  yield { type: "head", head };
  for (const { name, text } of files) yield { type: "file", name, text };
  yield* tables;
  yield* blobs;
}
