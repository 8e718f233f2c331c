import { errorBody, errors, type ErrorBody } from "#contract/errors.ts";
import { BlobsAwayError } from "#storage/blobs/blobs.ts";
import { StorageBusyError, StorageFullError } from "#storage/sql/database.ts";
import { AppError } from "../errors.ts";

/** What a failure looks like from outside. Anything that is not of the catalogue is `internal`, and says no more. */
export function problemOf(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof StorageFullError) return new AppError("storage-full", { cause: error });
  if (error instanceof StorageBusyError)
    return new AppError("maintenance", { cause: error, retryAfterSeconds: 2 });
  if (error instanceof BlobsAwayError)
    return new AppError("maintenance", { cause: error, retryAfterSeconds: 5 });
  return new AppError("internal", { cause: error });
}

export function problemBody(problem: AppError, requestId: string): ErrorBody {
  return errorBody(problem.code, requestId, problem.details);
}

export function problemStatus(problem: AppError): number {
  return errors[problem.code].status;
}
