import { limits } from "#contract/limits.ts";
import { AppError } from "#server/lib/errors.ts";
import type { Spool } from "#storage/lib/spool.ts";
import type { ExportFiles } from "../other-services/files-of-export.ts";
import { objectOf } from "../other-services/fields.ts";
import type { ServerDatabase, ServerExport } from "./server-export.ts";

/** Rows of a table, or how many of them are too large to be read. */
export type TableRows = { table: string; rows: readonly unknown[] } | { table: string; tooLarge: number };

/** A row that is larger than a conversation may be is only counted. */
export const rowBytesMax: number = limits.importConversationBytes;

/**
 * Sorts the rows of a database by person, before anything is imported: of a database that is damaged, nothing is. Throws
 * `import-unknown` for one without the tables that are needed, and what reading throws.
 */
export async function readServer(
  database: ServerDatabase,
  rows: AsyncIterable<TableRows>,
  spool: Spool,
  files: ExportFiles,
): Promise<ServerExport> {
  const found = new Set<string>();
  const tooLarge = new Map<string, number>();
  for await (const batch of rows) {
    found.add(batch.table);
    if ("tooLarge" in batch) tooLarge.set(batch.table, (tooLarge.get(batch.table) ?? 0) + batch.tooLarge);
    else
      for (const each of batch.rows) {
        const row = objectOf(each);
        const { key, order = 0 } = database.placeOf(batch.table, row);
        // A row without a key belongs to nothing.
        if (key !== "") spool.put(batch.table, key, order, row);
      }
  }
  if (database.required.some((table) => !found.has(table))) throw new AppError("import-unknown");
  return database.assemble(spool, files, tooLarge);
}
