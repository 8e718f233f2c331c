import { AppError } from "#server/lib/errors.ts";
import { errors } from "#contract/errors.ts";
import { ConfigError } from "#server/settings/settings.ts";
import { DataDirError } from "#server/settings/data-dir.ts";
import { ArchiveError } from "#storage/backup/archive.ts";
import { NotEmptyError } from "#storage/backup/fill.ts";
import { NoDatabaseError } from "#storage/backup/snapshot.ts";
import { StorageBusyError, StorageFullError } from "#storage/errors.ts";
import { SchemaVersionError } from "#storage/migrations/migrate.ts";
import { UnsupportedPoolerError } from "#storage/database/postgres/pooler.ts";
import { DatabaseInUseError } from "#storage/database/sqlite/lock.ts";

/** How a command ends. `usage`: it was called wrongly and did nothing. */
export const exitCodes = { done: 0, failed: 1, usage: 2 } as const;

/** A command could not do what it was asked; the message names the argument and the remedy. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

/** Failures that the operator can mend: told in their own words, without a stack. */
const told = [
  CommandError,
  ConfigError,
  DataDirError,
  ArchiveError,
  NoDatabaseError,
  NotEmptyError,
  DatabaseInUseError,
  SchemaVersionError,
  UnsupportedPoolerError,
  StorageBusyError,
  StorageFullError,
];

/** What the operator is told of `error`; `undefined` where it is a fault of ours, whose stack says more. */
export function sentenceOf(error: unknown): string | undefined {
  if (error instanceof AppError) {
    const details = error.details?.map(({ path, message }) => `${path}: ${message}.`);
    return details?.join("\n") ?? errors[error.code].message;
  }
  return told.some((kind) => error instanceof kind) ? (error as Error).message : undefined;
}
