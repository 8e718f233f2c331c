import type { ArchiveLine, Contents, Head } from "./archive.ts";
import { writeArchive } from "./archive.ts";
import type { KeptFile } from "./restore.ts";
import { withSnapshot, type BackupPlace } from "./snapshot.ts";

type Options = {
  place: BackupPlace;
  /** Where the archive is to be. */
  path: string;
  /** What goes along with the rows. */
  files: KeptFile[];
  /** This program's own. */
  version: string;
  nowMs: number;
};

/**
 * Copies everything that the database holds as of this moment into an archive, while servers go on. Throws
 * `NoDatabaseError`, `DatabaseTooNewError`, `ArchiveError`, `StorageFullError`, `StorageBusyError`.
 */
export async function backUp({ place, path, files, version, nowMs }: Options): Promise<Contents> {
  return await withSnapshot(place, async ({ engine, migrations, tables }) => {
    const head: Head = {
      parlance_backup: 1,
      version,
      created_at: new Date(nowMs).toISOString(),
      engine,
      migrations,
    };
    return await writeArchive(path, lines(head, files, tables));
  });
}

async function* lines(
  head: Head,
  files: KeptFile[],
  tables: AsyncIterable<ArchiveLine>,
): AsyncGenerator<ArchiveLine> {
  yield { type: "head", head };
  for (const { name, text } of files) yield { type: "file", name, text };
  yield* tables;
}
