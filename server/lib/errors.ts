import { errors, type ErrorCode, type ErrorDetail } from "#contract/errors.ts";

type Options = {
  details?: ErrorDetail[];
  /** Whole seconds after which a retry can succeed. */
  retryAfterSeconds?: number;
  /** Until when the same request fails: an ISO 8601 instant. */
  until?: string;
  /** More headers of the response. */
  headers?: Record<string, string>;
  /** Only for the log. */
  cause?: unknown;
};

/** The error that modules throw: a code of the catalogue, which has the status and the public message. */
export class AppError extends Error {
  override readonly name = "AppError";
  readonly code: ErrorCode;
  readonly details?: ErrorDetail[];
  readonly until?: string;
  readonly retryAfterSeconds: number | undefined;
  readonly headers: Record<string, string> | undefined;

  constructor(code: ErrorCode, options: Options = {}) {
    super(`${code}: ${errors[code].error}`, "cause" in options ? { cause: options.cause } : undefined);
    this.code = code;
    if (options.details !== undefined) this.details = options.details;
    if (options.until !== undefined) this.until = options.until;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.headers = options.headers;
  }
}

/** An error about one field of a request (`body.title`). `message` says what it must be. */
export function badRequest(path: string, message: string): AppError {
  return new AppError("bad-request", { details: [{ path, message }] });
}
