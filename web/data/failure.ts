import { errors, type ErrorCode } from "#contract/errors.ts";
import { t } from "#web/words/words.ts";

/** What went wrong, as far as a screen needs it. `message` is a sentence for people; `retry`: the same may work later. */
export type Failure = { code: string; message: string; retry: boolean; requestId?: string };

/** A call that failed: the service's own words where it answered, ours where it did not. */
export class CallError extends Error {
  override readonly name = "CallError";
  readonly failure: Failure;
  /** The HTTP status; `undefined` where there was no answer. */
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(failure: Failure, facts: { status?: number; retryAfterMs?: number; cause?: unknown } = {}) {
    super(failure.message, { cause: facts.cause });
    this.failure = failure;
    this.status = facts.status;
    this.retryAfterMs = facts.retryAfterMs;
  }
}

/** Any thrown thing as a failure that can be shown. */
export function failureOf(error: unknown): Failure {
  if (error instanceof CallError) return error.failure;
  return { code: "unexpected", message: t("failure.unexpected"), retry: true };
}

/** No answer came: the line is down, the server is, or the browser refused. */
export function networkError(cause: unknown): CallError {
  return new CallError({ code: "network", message: t("failure.network"), retry: true }, { cause });
}

/** A failure that the service names by its code alone, as a reply's status does. */
export function failureOfCode(code: string): Failure {
  if (!isErrorCode(code)) return { code, message: errors.internal.message, retry: true };
  return { code, message: errors[code].message, retry: errors[code].retry === true };
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errors, code);
}

/** Statuses that proxies give while a server restarts; our own answers say by their code whether to try again. */
const passingStatuses = new Set([408, 425, 429, 500, 502, 503, 504]);

/** The error of an answer that is not a success; reads its body. */
export async function answerError(response: Response): Promise<CallError> {
  const body = await errorBodyOf(response);
  const facts = { status: response.status, ...retryAfter(response) };
  if (body === undefined) {
    const retry = passingStatuses.has(response.status);
    return new CallError({ code: "unexpected-answer", message: t("failure.unexpectedAnswer"), retry }, facts);
  }
  const retry = isErrorCode(body.code)
    ? errors[body.code].retry === true
    : passingStatuses.has(response.status);
  const failure: Failure = { code: body.code, message: body.message, retry };
  if (body.request_id !== undefined) failure.requestId = body.request_id;
  return new CallError(failure, facts);
}

type ReadBody = { code: string; message: string; request_id: string | undefined };

async function errorBodyOf(response: Response): Promise<ReadBody | undefined> {
  const body: unknown = await response.json().catch(() => undefined);
  if (typeof body !== "object" || body === null || !("code" in body) || !("message" in body))
    return undefined;
  const { code, message } = body;
  if (typeof code !== "string" || typeof message !== "string") return undefined;
  return {
    code,
    message,
    request_id: "request_id" in body && typeof body.request_id === "string" ? body.request_id : undefined,
  };
}

function retryAfter(response: Response): { retryAfterMs?: number } {
  const seconds = Number(response.headers.get("Retry-After") ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? { retryAfterMs: seconds * 1000 } : {};
}
