import { wordIndexes } from "../database/full-text.ts";
import type { Table } from "../schema/table.ts";
import { tables } from "../tables/tables.ts";

/** The tables in a backup. */
export const backupTables = tablesWith("in backup");
/** The other tables. The word indexes are ordinary tables only on PostgreSQL. */
export const rebuiltTables = [...tablesWith("rebuilt"), ...wordIndexes];

/** The tables with keys that no backup contains. */
export const secretTables = tablesWith("secret");

function tablesWith(backup: Table["backup"]): string[] {
  return tables.filter((table) => table.backup === backup).map(({ name }) => name);
}
