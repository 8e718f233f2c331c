import { onTestFinished } from "vitest";
import { migrations, type Migration } from "../migrations/list.ts";

/** Adds a migration to this version until the test ends. */
export function addMigration(name: string, migration: Migration): void {
  migrations[name] = migration;
  onTestFinished(() => void delete migrations[name]);
}
