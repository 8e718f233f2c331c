import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSetupError, StorageBusyError, StorageFullError } from "#storage/lib/errors.ts";

/** SQLite's primary result codes; the low byte of the extended ones. */
const PERM = 3;
const BUSY = 5;
const LOCKED = 6;
const READONLY = 8;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const PROTOCOL = 15;
const NOLFS = 22;
const NOTADB = 26;
/** The result codes of files and folders that cannot be created, written or locked, as on some network disks. */
const unusable = new Set([PERM, READONLY, IOERR, CANTOPEN, PROTOCOL, NOLFS]);

/** 1 MiB: on a full disk SQLite reports a plain I/O error if it cannot grow or sync the index of its log. */
const littleSpaceBytes = 1024 * 1024;

/** The storage error for an error of the database at `path`. Other errors are returned unchanged. */
export function translateSqliteError(error: unknown, path: string): unknown {
  const errcode = sqliteErrcode(error);
  if (errcode === undefined) return error;
  switch (errcode & 0xff) {
    case FULL:
      return new StorageFullError("The disk of the database is full.", { cause: error });
    case IOERR:
      return hasLittleSpace(path)
        ? new StorageFullError("The disk of the database is full.", { cause: error })
        : error;
    case BUSY:
    case LOCKED:
      return new StorageBusyError("The database is locked by another program.", { cause: error });
    default:
      return error;
  }
}

/** The error for the operator if the file at `path` cannot be opened. Other errors are returned unchanged. */
export function explainSqliteOpenError(error: unknown, path: string): unknown {
  const code = (sqliteErrcode(error) ?? 0) & 0xff;
  if (code === NOTADB || code === CORRUPT)
    return new DatabaseSetupError(
      `${path} is not a SQLite database, or is damaged. Move it away to start with an empty one, restore a backup (the command restore), or set another DATA_DIR.`,
      { cause: error },
    );
  if (unusable.has(code))
    return new DatabaseSetupError(
      `${path} cannot be opened for writing (${(error as Error).message}). Let this user read and write it and its folder, or set DATA_DIR to a folder on a local disk.`,
      { cause: error },
    );
  return error;
}

function sqliteErrcode(error: unknown): number | undefined {
  const errcode = (error as { errcode?: unknown } | null)?.errcode;
  return typeof errcode === "number" ? errcode : undefined;
}

function hasLittleSpace(path: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(dirname(path));
    return bavail * bsize < littleSpaceBytes;
  } catch {
    return false;
  }
}
