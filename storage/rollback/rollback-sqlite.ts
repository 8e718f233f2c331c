import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { explainSqliteOpenError, translateSqliteError } from "../database/sqlite/errors.ts";
import { lockDatabase } from "../database/sqlite/lock.ts";
import { missingBytes } from "../database/upgrade-copies.ts";
import { DatabaseSetupError, StorageFullError } from "../lib/errors.ts";
import {
  countedTables,
  keptName,
  type Added,
  type Rollback,
  type RollbackOptions,
} from "./planned-rollback.ts";

/** At every moment there is a complete database at `path`: the newer one, or the copy. */
export async function rollBackSqlite(
  path: string,
  { copy, confirm, auditEntry }: RollbackOptions,
): Promise<Rollback | undefined> {
  const release = lockDatabase(path);
  const restoring = `${path}.restoring`;
  try {
    duplicate(copy.path, restoring);
    const version = prepare(restoring, copy.path, auditEntry);
    const planned = {
      copy,
      version,
      added: added(path, restoring),
      keptAs: `${path}.${keptName(copy)}`,
    };
    if (!(await confirm(planned))) return undefined;
    keep(path, planned.keptAs);
    renameSync(restoring, path);
    sync(dirname(path));
    return planned;
  } catch (error) {
    throw explainSqliteOpenError(translateSqliteError(error, path), path);
  } finally {
    for (const end of ["", "-journal"]) rmSync(restoring + end, { force: true });
    release();
  }
}

function duplicate(from: string, to: string): void {
  rmSync(to, { force: true });
  const { size } = statSync(from);
  const missing = missingBytes(dirname(to), size);
  if (missing > 0)
    throw new StorageFullError(
      `${from} stays where it is, and ${dirname(to)} needs ${Math.ceil(missing / (1024 * 1024))} MiB more for the database. Nothing was changed.`,
    );
  copyFileSync(from, to, constants.COPYFILE_FICLONE);
}

/** Checks the copy, adds the entry, and returns the version that made the database. */
function prepare(path: string, from: string, auditEntry: RollbackOptions["auditEntry"]): string | undefined {
  const file = new DatabaseSync(path);
  try {
    const { quick_check: outcome } = file.prepare("pragma quick_check(1)").get() as { quick_check: string };
    if (outcome !== "ok") throw new Error(outcome);
    const newest = file.prepare("select * from migrations order by timestamp desc, name desc limit 1").get();
    const names = Object.keys(auditEntry);
    const places = names.map(() => "?").join(", ");
    file
      .prepare(`insert into audit_entries (${names.join(", ")}) values (${places})`)
      .run(...Object.values(auditEntry));
    return (newest?.["version"] as string | null | undefined) ?? undefined;
  } catch (cause) {
    if (translateSqliteError(cause, path) instanceof StorageFullError) throw cause;
    throw new DatabaseSetupError(
      `${from} is damaged (${(cause as Error).message}). Nothing was changed. Name another copy, or restore a backup.`,
      {
        cause,
      },
    );
  } finally {
    file.close();
    sync(path);
  }
}

function added(path: string, restoring: string): Added | undefined {
  if (!existsSync(path)) return undefined;
  const file = new DatabaseSync(path, { timeout: 5_000 });
  try {
    file.prepare("attach database ? as copy").run(restoring);
    const counts = Object.entries(countedTables).map(([table, condition]) => {
      const { count } = file
        .prepare(
          `select count(*) as count from main.${table} where id not in (select id from copy.${table})${condition === "" ? "" : ` and ${condition}`}`,
        )
        .get() as { count: number };
      return [table, count];
    });
    return Object.fromEntries(counts) as Added;
  } catch (error) {
    if (explainSqliteOpenError(error, path) === error) throw error;
    return undefined;
  } finally {
    file.close();
  }
}

/** Gives the newer database a second name, with all that its log has. SQLite would apply a log that stays to the copy. */
function keep(path: string, keptAs: string): void {
  if (existsSync(path)) {
    checkpoint(path);
    try {
      linkSync(path, keptAs);
    } catch {
      // Not every file system has hard links.
      copyFileSync(path, keptAs, constants.COPYFILE_EXCL);
      sync(keptAs);
    }
  }
  // The database is damaged, or somebody moved it away without its log.
  for (const end of ["-wal", "-shm"]) if (existsSync(path + end)) renameSync(path + end, keptAs + end);
}

function checkpoint(path: string): void {
  const file = new DatabaseSync(path, { timeout: 5_000 });
  try {
    file.exec("pragma journal_mode = delete");
  } catch (error) {
    if (explainSqliteOpenError(error, path) === error) throw error;
  } finally {
    file.close();
  }
}

function sync(path: string): void {
  const opened = openSync(path, "r");
  fsyncSync(opened);
  closeSync(opened);
}
