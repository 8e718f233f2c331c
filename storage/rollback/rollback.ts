import { join } from "node:path";
import { copiesOf, dumpName, sqliteName, type UpgradeCopy } from "../database/upgrade-copies.ts";
import type { Rollback, RollbackOptions } from "./planned-rollback.ts";

export type RollbackPlace = { databaseUrl?: string | undefined; dataDir: string };

/** The copies that were made before upgrades, the newest first. */
export function upgradeCopies({ databaseUrl, dataDir }: RollbackPlace): UpgradeCopy[] {
  return copiesOf(join(dataDir, databaseUrl === undefined ? sqliteName : dumpName));
}

/**
 * Puts a copy in the place of the database, and keeps that under another name: completely or not at all. Returns undefined
 * if it was not confirmed. Throws `DatabaseInUseError`, `StorageBusyError`, `DatabaseSetupError`, `StorageFullError`.
 */
export async function rollBack(
  { databaseUrl, dataDir }: RollbackPlace,
  options: RollbackOptions,
): Promise<Rollback | undefined> {
  if (databaseUrl === undefined) {
    const { rollBackSqlite } = await import("./rollback-sqlite.ts");
    return await rollBackSqlite(join(dataDir, sqliteName), options);
  }
  const { rollBackPostgres } = await import("./rollback-postgres.ts");
  return await rollBackPostgres(databaseUrl, options);
}
