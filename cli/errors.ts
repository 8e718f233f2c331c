import { AppError } from "#server/lib/errors.ts";
import { errors } from "#contract/errors.ts";
import { ConfigError } from "#server/settings/settings.ts";
import { DataDirError } from "#server/settings/data-dir.ts";
import { ArchiveError } from "#storage/backup/archive.ts";
import { NotEmptyError } from "#storage/backup/insert-backup.ts";
import { WrongPassphraseError } from "#storage/backup/encryption.ts";
import { BlobsUnreachableError } from "#storage/blobs/blobs.ts";
import { NoDatabaseError } from "#storage/backup/snapshot.ts";
import {
  DatabaseSetupError,
  StorageBusyError,
  StorageFullError,
  UnsupportedPoolerError,
} from "#storage/lib/errors.ts";
import { SchemaVersionError } from "#storage/lib/errors.ts";
import { DatabaseInUseError } from "#storage/database/sqlite/lock.ts";

/** The exit codes of commands. `usage`: wrong arguments, so nothing was done. */
export const exitCodes = { done: 0, failed: 1, usage: 2 } as const;

/** A command failed. The message names the argument and the remedy. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

/** Failures that the operator can fix. Their message is printed without a stack. */
const operatorErrors = [
  CommandError,
  ConfigError,
  DataDirError,
  ArchiveError,
  BlobsUnreachableError,
  WrongPassphraseError,
  NoDatabaseError,
  NotEmptyError,
  DatabaseInUseError,
  DatabaseSetupError,
  SchemaVersionError,
  UnsupportedPoolerError,
  StorageBusyError,
  StorageFullError,
];

/** The message to print for `error`; `undefined` for a bug, whose stack says more. */
export function messageForOperator(error: unknown): string | undefined {
  if (error instanceof AppError) {
    const details = error.details?.map(({ path, message }) => `${path}: ${message}.`);
    return details?.join("\n") ?? errors[error.code].message;
  }
  return operatorErrors.some((kind) => error instanceof kind) ? (error as Error).message : undefined;
}
