import type { Contents } from "#storage/backup/archive.ts";
import { formatTime } from "../format-date.ts";

/** Describes the contents of a backup, for people and for programs. */
export function describeBackup(
  begin: string,
  { head, files, rows, blobs }: Contents,
): { text: string; json: unknown } {
  const counts = ["threads", "messages", "runs", "users"]
    .map((name) => `${rows[name] ?? 0} ${name}`)
    .join(", ");
  return {
    text: `${begin}\nTaken ${formatTime(Date.parse(head.created_at))} by Parlance ${head.version}: ${counts}${blobs === 0 ? "" : `, ${blobs} files`}.`,
    json: {
      created_at: head.created_at,
      version: head.version,
      engine: head.engine,
      migrations: head.migrations,
      files,
      rows,
      blobs,
    },
  };
}
