import { statSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { StorageFullError } from "#storage/lib/errors.ts";
import { makeCopy, missingBytes, type UpgradeCopies } from "../upgrade-copies.ts";
import { translateSqliteError } from "./errors.ts";

/** Copies an open database, with its write-ahead log, to a file beside it. Throws `StorageFullError`. */
export async function copyBeforeMigration(
  file: DatabaseSync,
  path: string,
  { policy = "on", onMade, onNone }: UpgradeCopies,
): Promise<void> {
  if (policy === "off") return onNone?.("COPY_BEFORE_UPGRADE is off.");
  // The pages, also those that only the log has.
  const { bytes } = file
    .prepare("select page_count * page_size as bytes from pragma_page_count, pragma_page_size")
    .get() as { bytes: number };
  if (missingBytes(dirname(path), bytes) > 0) throw noSpace(path, bytes);
  try {
    // SQLite writes into an empty file that exists.
    const copy = await makeCopy(path, (unfinished) => void file.prepare("vacuum into ?").run(unfinished));
    onMade?.(copy);
  } catch (error) {
    const isFull =
      translateSqliteError(error, path) instanceof StorageFullError ||
      (error as NodeJS.ErrnoException).code === "ENOSPC";
    throw isFull ? noSpace(path, statSync(path).size, error) : error;
  }
}

function noSpace(path: string, bytes: number, cause?: unknown): StorageFullError {
  const mebibytes = Math.ceil(bytes / (1024 * 1024));
  return new StorageFullError(
    `${path} is copied before it is upgraded, and its disk has no space for the copy. Nothing was changed. ` +
      `Free at least ${mebibytes} MiB there, or move DATA_DIR to a larger disk, and start again. ` +
      "With COPY_BEFORE_UPGRADE=off it is upgraded without a copy.",
    { cause },
  );
}
