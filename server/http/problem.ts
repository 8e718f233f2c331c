import { errorBody, errors, type ErrorBody } from "#contract/errors.ts";
import { BlobsUnreachableError, BlobsUnavailableError } from "#storage/blobs/blobs.ts";
import { StorageBusyError, StorageFullError, StorageUnavailableError } from "#storage/lib/errors.ts";
import { AppError } from "../lib/errors.ts";

/** The error as clients see it. Errors without a code of the catalogue become `internal`, without details. */
export function problemOf(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof StorageFullError) return new AppError("storage-full", { cause: error });
  if (error instanceof StorageUnavailableError || error instanceof BlobsUnavailableError)
    return new AppError("storage-unavailable", { cause: error, retryAfterSeconds: 5 });
  if (error instanceof StorageBusyError)
    return new AppError("maintenance", { cause: error, retryAfterSeconds: 2 });
  if (error instanceof BlobsUnreachableError)
    return new AppError("maintenance", { cause: error, retryAfterSeconds: 5 });
  return new AppError("internal", { cause: error });
}

/**
 * Why a request was aborted. Aborted work throws a general `AbortError`; the signal's reason is more specific. If the
 * server shuts down, clients should retry.
 */
export function reasonOf(error: unknown, signal: AbortSignal, closing: AbortSignal): unknown {
  const isAbort = signal.aborted && error instanceof Error && error.name === "AbortError";
  const reason = isAbort ? signal.reason : error;
  const isShutdown = closing.aborted && reason === closing.reason;
  return isShutdown ? new AppError("maintenance", { cause: reason, retryAfterSeconds: 5 }) : reason;
}

export function problemBody(problem: AppError, requestId: string): ErrorBody {
  return errorBody(problem.code, requestId, problem);
}

export function problemStatus(problem: AppError): number {
  return errors[problem.code].status;
}
