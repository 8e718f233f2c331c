import { errors, type ErrorCode, type ErrorDetail } from "#contract/errors.ts";

type Options = {
  details?: ErrorDetail[];
  /** For `rate-limited`: whole seconds until it is worth trying again. */
  retryAfterSeconds?: number;
  /** What else the answer's head says. */
  headers?: Record<string, string>;
  /** Stays in the log. */
  cause?: unknown;
};

/** The one error that rooms throw: a code of the catalogue. Status and public sentence live with the code. */
export class AppError extends Error {
  override readonly name = "AppError";
  readonly code: ErrorCode;
  readonly details: ErrorDetail[] | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly headers: Record<string, string> | undefined;

  constructor(code: ErrorCode, options: Options = {}) {
    super(`${code}: ${errors[code].error}`, "cause" in options ? { cause: options.cause } : undefined);
    this.code = code;
    this.details = options.details;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.headers = options.headers;
  }
}

/** A request field that is wrong: where it is (`body.title`) and what would be right. */
export function badRequest(path: string, message: string): AppError {
  return new AppError("bad-request", { details: [{ path, message }] });
}
