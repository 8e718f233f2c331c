import { backupTables } from "./backup-tables.ts";
import { sqlitePath, type BackupPlace, type Snapshot, type SnapshotOptions } from "./snapshot.ts";
import { withSqliteSnapshot } from "./sqlite-snapshot.ts";

/** Opens a snapshot while `work` runs. Throws `NoDatabaseError`, `SchemaVersionError`. */
export async function withSnapshot<T>(
  place: BackupPlace,
  work: (snapshot: Snapshot) => Promise<T>,
  options: SnapshotOptions = { tables: backupTables },
): Promise<T> {
  if (place.databaseUrl === undefined) return await withSqliteSnapshot(sqlitePath(place), work, options);
  const { withPostgresSnapshot } = await import("./postgres-snapshot.ts");
  return await withPostgresSnapshot(place.databaseUrl, work, options);
}
