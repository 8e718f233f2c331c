import { closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { StorageFullError } from "#storage/lib/errors.ts";
import { translateSqliteError } from "./errors.ts";

/**
 * Copies an open database, with its write-ahead log, to a file beside it that is named after `migration`, and deletes
 * older copies. Returns the path of the copy. Throws `StorageFullError`.
 */
export function copyBeforeMigration(file: DatabaseSync, path: string, migration: string): string {
  const prefix = `${path}.before-`;
  const copy = `${prefix}${migration}`;
  const unfinished = `${copy}.unfinished`;
  try {
    rmSync(unfinished, { force: true });
    // Only the owner may read it. SQLite writes into an empty file that exists.
    const created = openSync(unfinished, "wx", 0o600);
    try {
      file.prepare("vacuum into ?").run(unfinished);
      fsyncSync(created);
    } finally {
      closeSync(created);
    }
    renameSync(unfinished, copy);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw explainFullDisk(error, path);
  }
  const folder = dirname(path);
  for (const name of readdirSync(folder))
    if (name.startsWith(basename(prefix)) && name !== basename(copy)) rmSync(join(folder, name));
  return copy;
}

function explainFullDisk(error: unknown, path: string): unknown {
  const isFull =
    translateSqliteError(error, path) instanceof StorageFullError ||
    (error as NodeJS.ErrnoException).code === "ENOSPC";
  if (!isFull) return error;
  const mebibytes = Math.ceil(statSync(path).size / (1024 * 1024));
  return new StorageFullError(
    `${path} is copied before it is upgraded, and its disk has no space for the copy. Nothing was changed. ` +
      `Free at least ${mebibytes} MiB there, or move DATA_DIR to a larger disk, and start again.`,
    { cause: error },
  );
}
