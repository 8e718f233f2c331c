import { closeSync, existsSync, fsyncSync, openSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Kysely } from "kysely";
import { SqliteConnection } from "../database/sqlite/connection.ts";
import { NodeSqliteDialect } from "../database/sqlite/dialect.ts";
import { translateSqliteError } from "../database/sqlite/errors.ts";
import { lockDatabase } from "../database/sqlite/lock.ts";
import type { Tables } from "../database/tables.ts";
import { makeFolder } from "../lib/make-folder.ts";
import type { Contents } from "./archive.ts";
import { insertBackup, hasData, refuseNotEmpty, type RestoreOptions } from "./insert-backup.ts";
import { sqlitePath } from "./snapshot.ts";

/** Builds a new file beside the old one and renames it at the end. No server may be running. */
export async function restoreSqlite(options: RestoreOptions, contents: Contents): Promise<void> {
  const path = sqlitePath(options.place);
  await makeFolder(dirname(path));
  const release = lockDatabase(path);
  const newPath = `${path}.restoring`;
  try {
    if (existsSync(path) && !options.replace && (await isInUse(path))) refuseNotEmpty(path);
    await remove(newPath);
    closeSync(openSync(newPath, "wx", 0o600));
    await build(newPath, options, contents);
    if (existsSync(path)) checkpoint(path);
    await rename(newPath, path);
    for (const beside of ["-wal", "-shm"]) await rm(path + beside, { force: true });
  } catch (error) {
    throw translateSqliteError(error, path);
  } finally {
    await remove(newPath);
    release();
  }
}

async function build(path: string, options: RestoreOptions, contents: Contents): Promise<void> {
  const file = new DatabaseSync(path);
  try {
    // No durability needed: an incomplete file is deleted.
    for (const pragma of [
      "journal_mode = memory",
      "synchronous = off",
      "foreign_keys = off",
      "cache_size = -65536",
    ])
      file.exec(`pragma ${pragma}`);
    const connection = new SqliteConnection(file, (error) => translateSqliteError(error, path));
    const db = new Kysely<Tables>({ dialect: new NodeSqliteDialect(connection, { transactions: true }) });
    const files = await db.transaction().execute((q) => insertBackup(q, "sqlite", options, contents));
    const broken = file.prepare("pragma foreign_key_check").get();
    if (broken !== undefined)
      throw new Error(`A row of ${String(broken.table)} refers to a row that does not exist.`);
    connection.close();
    const written = openSync(path, "r+");
    fsyncSync(written);
    closeSync(written);
    await options.beforeCommit(files);
  } catch (error) {
    if (file.isOpen) file.close();
    throw error;
  }
}

async function isInUse(path: string): Promise<boolean> {
  const file = new DatabaseSync(path);
  const connection = new SqliteConnection(file, (error) => translateSqliteError(error, path));
  try {
    const db = new Kysely<Tables>({ dialect: new NodeSqliteDialect(connection, { transactions: false }) });
    const tables = file.prepare("select name from sqlite_schema where type = 'table'").all();
    return await hasData(
      db,
      tables.map(({ name }) => String(name)),
    );
  } finally {
    connection.close();
  }
}

/** Moves the old file's log into it, because SQLite would apply a remaining log to the new file. */
function checkpoint(path: string): void {
  const file = new DatabaseSync(path, { timeout: 5_000 });
  try {
    file.exec("pragma journal_mode = delete");
  } finally {
    file.close();
  }
}

async function remove(path: string): Promise<void> {
  for (const end of ["", "-journal", "-wal", "-shm"]) await rm(path + end, { force: true });
}
