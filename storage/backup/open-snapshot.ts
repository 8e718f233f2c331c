import { sqlitePath, type BackupPlace, type Snapshot } from "./snapshot.ts";
import { withSqliteSnapshot } from "./sqlite-snapshot.ts";

/** Opens a snapshot while `work` runs. Throws `NoDatabaseError`, `SchemaVersionError`. */
export async function withSnapshot<T>(
  place: BackupPlace,
  work: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  if (place.databaseUrl === undefined) return await withSqliteSnapshot(sqlitePath(place), work);
  const { withPostgresSnapshot } = await import("./postgres-snapshot.ts");
  return await withPostgresSnapshot(place.databaseUrl, work);
}
