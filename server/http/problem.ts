import { errorBody, errors, type ErrorBody } from "#contract/errors.ts";
import { BlobsAwayError, BlobsUnavailableError } from "#storage/blobs/blobs.ts";
import { StorageBusyError, StorageFullError, StorageUnavailableError } from "#storage/errors.ts";
import { AppError } from "../lib/errors.ts";

/** What a failure looks like from outside. Anything that is not of the catalogue is `internal`, and says no more. */
export function problemOf(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof StorageFullError) return new AppError("storage-full", { cause: error });
  if (error instanceof StorageUnavailableError || error instanceof BlobsUnavailableError)
    return new AppError("storage-unavailable", { cause: error, retryAfterSeconds: 5 });
  if (error instanceof StorageBusyError)
    return new AppError("maintenance", { cause: error, retryAfterSeconds: 2 });
  if (error instanceof BlobsAwayError)
    return new AppError("maintenance", { cause: error, retryAfterSeconds: 5 });
  return new AppError("internal", { cause: error });
}

/**
 * Why a request broke off: where `signal` ended it, what worked for it says only that it was ended. Whoever is cut off
 * because the server goes down may come again when it is back.
 */
export function whyBrokenOff(error: unknown, signal: AbortSignal, closing: AbortSignal): unknown {
  const why = signal.aborted && error instanceof Error && error.name === "AbortError" ? signal.reason : error;
  const isCutOff = closing.aborted && why === closing.reason;
  return isCutOff ? new AppError("maintenance", { cause: why, retryAfterSeconds: 5 }) : why;
}

export function problemBody(problem: AppError, requestId: string): ErrorBody {
  return errorBody(problem.code, requestId, problem.details);
}

export function problemStatus(problem: AppError): number {
  return errors[problem.code].status;
}
