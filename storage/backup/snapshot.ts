import { join } from "node:path";
import type { Engine } from "../engine.ts";
import { checkMigrations } from "../migrations/migrate.ts";
import type { ArchiveLine } from "./archive.ts";

/** Where a database is. */
export type BackupPlace = { databaseUrl: string | undefined; dataDir: string };

/** Everything that a database holds as of one moment, read while others go on writing. */
export type Snapshot = {
  engine: Engine;
  /** The migrations of its schema, in their order. */
  migrations: string[];
  /** Every table that a backup keeps, each followed by its rows. To be read once. */
  tables: AsyncIterable<ArchiveLine>;
  /** Any other look at the same moment. */
  rows(statement: string): Promise<Record<string, unknown>[]>;
};

/** There is no database to copy. */
export class NoDatabaseError extends Error {
  override readonly name = "NoDatabaseError";
}

export function sqlitePath({ dataDir }: BackupPlace): string {
  return join(dataDir, "parlance.db");
}

/** Names as a snapshot found them. Throws where the database is newer than this program, or holds nothing of ours. */
export function knownMigrations(names: string[], where: string): string[] {
  if (names.length === 0) throw new NoDatabaseError(`There is nothing of Parlance in ${where}.`);
  checkMigrations(names, `${where} was last used`);
  return names.toSorted();
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
