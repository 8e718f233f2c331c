import { wordIndexes } from "../database/full-text.ts";
import type { Table } from "../schema/table.ts";
import { tables } from "../tables/tables.ts";

/** The tables in a backup. */
export const backupTables = tablesWith("in backup");
/** The other tables. The word indexes are ordinary tables only on PostgreSQL. */
export const rebuiltTables = [...tablesWith("rebuilt"), ...wordIndexes];

/** The tables with keys that only encrypted backups contain. */
export const secretTables = tablesWith("secret");

/** The tables in a backup with secrets, in the order in which they are restored. */
export const tablesWithSecrets = tables
  .filter(({ backup }) => backup !== "rebuilt")
  .map(({ name }): string => name);

function tablesWith(backup: Table["backup"]): string[] {
  return tables.filter((table) => table.backup === backup).map(({ name }) => name);
}
