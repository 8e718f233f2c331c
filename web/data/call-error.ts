import { isErrorCode, isRetryable } from "#contract/errors.ts";

/**
 * What went wrong, without a text in the page's language, because workers have no catalogue. `serverMessage` is in
 * English. `retry`: the same request can work later. `until`: until when it fails, if that is known.
 */
export type CallFailure = {
  code: string;
  serverMessage?: string;
  retry: boolean;
  requestId?: string;
  until?: string;
  /** What exactly is wrong, in English. */
  detail?: string;
};

/** A failed call, with the server's error or with a code of the client. */
export class CallError extends Error {
  override readonly name = "CallError";
  readonly failure: CallFailure;
  /** The HTTP status; `undefined` if there was no response. */
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(failure: CallFailure, facts: { status?: number; retryAfterMs?: number; cause?: unknown } = {}) {
    super(failure.serverMessage ?? failure.code, { cause: facts.cause });
    this.failure = failure;
    this.status = facts.status;
    this.retryAfterMs = facts.retryAfterMs;
  }
}

/** There was no response: the network or the server is down, or the browser blocked the request. */
export function networkError(cause: unknown): CallError {
  return new CallError({ code: "network", retry: true }, { cause });
}

/** Temporary statuses, as proxies send while a server restarts; our own errors say by their code whether to retry. */
const temporaryStatuses = new Set([408, 425, 429, 500, 502, 503, 504]);

/** The error of a response that is not a success; reads its body. */
export async function responseError(response: Response): Promise<CallError> {
  const body = await errorBodyOf(response);
  const facts = { status: response.status, ...retryAfter(response) };
  if (body === undefined) {
    const retry = temporaryStatuses.has(response.status);
    return new CallError({ code: "unexpected-answer", retry }, facts);
  }
  const retry = isErrorCode(body.code) ? isRetryable(body.code) : temporaryStatuses.has(response.status);
  const failure: CallFailure = { code: body.code, serverMessage: body.message, retry };
  if (body.request_id !== undefined) failure.requestId = body.request_id;
  if (body.until !== undefined) failure.until = body.until;
  if (body.detail !== undefined) failure.detail = body.detail;
  return new CallError(failure, facts);
}

type ReadBody = {
  code: string;
  message: string;
  request_id: string | undefined;
  until: string | undefined;
  detail: string | undefined;
};

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
    until: "until" in body && typeof body.until === "string" ? body.until : undefined,
    detail: (body as { details?: { message?: string }[] }).details?.[0]?.message,
  };
}

function retryAfter(response: Response): { retryAfterMs?: number } {
  const seconds = Number(response.headers.get("Retry-After") ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? { retryAfterMs: seconds * 1000 } : {};
}
