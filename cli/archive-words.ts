import type { Contents } from "#storage/backup/archive.ts";
import { printedTime } from "./format-date.ts";

/** What an archive holds, for people and for programs. */
export function describeArchive(
  begin: string,
  { head, files, rows, blobs }: Contents,
): { text: string; json: unknown } {
  const counts = ["threads", "messages", "runs", "users"]
    .map((name) => `${rows[name] ?? 0} ${name}`)
    .join(", ");
  return {
    text: `${begin}\nTaken ${printedTime(Date.parse(head.created_at))} by Parlance ${head.version}: ${counts}${blobs === 0 ? "" : `, ${blobs} files`}.`,
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
