import { join } from "node:path";
import type { Engine } from "../lib/engine.ts";
import { checkMigrations } from "../migrations/migrate.ts";
import type { ArchiveLine } from "./archive.ts";

/** The location of a database. */
export type BackupPlace = { databaseUrl: string | undefined; dataDir: string };

/** `tables`: those whose rows are read. */
export type SnapshotOptions = { tables: readonly string[] };

/** A snapshot of a database, which others may write to meanwhile. */
export type Snapshot = {
  engine: Engine;
  /** The migrations of its schema in order. */
  migrations: string[];
  /** The tables in a backup, each followed by its rows. It can be read once. */
  tables: AsyncIterable<ArchiveLine>;
  /** Other queries in the same snapshot. */
  rows(statement: string): Promise<Record<string, unknown>[]>;
};

/** There is no database to back up. */
export class NoDatabaseError extends Error {
  override readonly name = "NoDatabaseError";
}

export function sqlitePath({ dataDir }: BackupPlace): string {
  return join(dataDir, "parlance.db");
}

/** Checks and sorts the names of migrations. Throws if the database is newer than this program, or is not Parlance's. */
export function knownMigrations(names: string[], where: string): string[] {
  if (names.length === 0) throw new NoDatabaseError(`There are no tables of Parlance in ${where}.`);
  checkMigrations(names, `${where} was last used`);
  return names.toSorted();
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
