import { parseJson } from "#contract/json.ts";
import type { ErrorCode } from "#contract/errors.ts";
import { ModelError } from "../../model.ts";

/** Why a request to a provider failed. */
export type Failure = {
  /** The HTTP status, or the code of an error chunk if it is a number. */
  status: number | undefined;
  /** The provider's error code (`context_length_exceeded`) or the system's (`ECONNREFUSED`). */
  code: string;
  message: string;
  /** How long the provider asks to wait, in milliseconds. */
  retryAfterMs: number | undefined;
};

/** Reads errors that the SDK throws and error chunks inside a stream. Never throws. */
export function readFailure(error: unknown): Failure {
  const thrown = toRecord(error);
  const { status, headers } = {
    // The status of a proxy that does not connect to the provider says nothing about the provider.
    status: thrown.code === "ERR_PROXY_TUNNEL" ? undefined : numeric(thrown.statusCode),
    headers: toRecord(thrown.responseHeaders),
  };
  const body = errorObject(error);
  const messages = [text(body.message), text(thrown.message), bodyExcerpt(thrown.responseBody)];
  return {
    status: status ?? numeric(body.code) ?? numeric(body.status),
    code: [text(body.code), text(body.type), ...systemCodes(error)].filter((code) => code !== "").join(" "),
    message: [...new Set(messages.filter((message) => message !== ""))].join(" | "),
    retryAfterMs: retryAfterMs(headers),
  };
}

/** The error code of `contract/errors.ts`. `accepted` is whether the provider had accepted the request. */
function errorCodeOf({ status, code, message }: Failure, accepted: boolean): ErrorCode {
  const text = `${code} ${message}`;
  const isAboutContent = status === undefined ? accepted : status !== 429 && status !== 401 && status !== 403;
  if (isAboutContent && contextPattern.test(text)) return "context-too-long";
  if (isAboutContent && filterPattern.test(text)) return "content-filtered";
  if (isWebPage(status, text)) return "provider-not-a-model";
  if (status === 402 || noCreditPattern.test(text)) return "provider-no-credit";
  if (status === 400 && /api key not valid|api_key_invalid/i.test(text)) return "provider-refused-key";
  if ((status === 400 || status === 404) && unknownModelPattern.test(text)) return "provider-model-unknown";
  if (status === undefined || (status >= 200 && status < 300)) {
    if (!accepted) return status === undefined ? "provider-unreachable" : "provider-broke-off";
    if (/rate.?limit/i.test(text)) return "provider-rate-limited";
    return /overloaded/i.test(text) ? "provider-overloaded" : "provider-broke-off";
  }
  if (status === 401 || status === 403) return "provider-refused-key";
  if (status === 413) return "context-too-long";
  if (status === 408 || status === 502 || status === 504 || (status >= 520 && status <= 527))
    return "provider-unreachable";
  if (status === 429) return "provider-rate-limited";
  // OpenAI and others answer 500 when they are overloaded, with the advice to retry.
  if (status >= 500) return "provider-overloaded";
  if (status >= 400) return "provider-refused";
  return "provider-unreachable";
}

/** Converts what a request to a provider threw. For `accepted` and `secret` see `toModelError`. */
export function asModelError(error: unknown, accepted: boolean, secret: string | undefined): ModelError {
  return error instanceof ModelError ? error : toModelError(readFailure(error), accepted, secret);
}

/** Converts a failure to a `ModelError`. `secret` is the API key, which is removed from the text for the log. */
export function toModelError(failure: Failure, accepted: boolean, secret: string | undefined): ModelError {
  const { status, code, message, retryAfterMs } = failure;
  const line = [status === undefined ? "" : `status ${status}`, code, message]
    .filter((text) => text !== "")
    .join(": ");
  // The SDK's own error contains the whole conversation and the headers, so it must not be logged.
  const cause = new Error(redact(line, secret));
  return new ModelError(errorCodeOf(failure, accepted), { cause, retryAfterMs });
}

/** The code of the error for an HTML page with a success status. */
export const webPageCode = "WEB_PAGE";

/** Whether the base URL leads to an ordinary web server. Other statuses are more specific than the page. */
function isWebPage(status: number | undefined, text: string): boolean {
  if (status === undefined || (status >= 200 && status < 300)) return text.includes(webPageCode);
  return (status === 404 || status === 405) && /<!doctype html|<html/i.test(text);
}

function redact(line: string, secret: string | undefined): string {
  return secret === undefined || secret === "" ? line : line.replaceAll(secret, "[key]");
}

const contextPattern =
  /context_length_exceeded|context.{0,12}(?:length|window|size)|maximum (?:context|prompt|input)|prompt is too long|too many (?:input |prompt )?tokens|input is too long|reduce the length|exceeds the (?:model'?s )?(?:maximum|max|available)|max_prompt_tokens|tokens? limit exceeded|string_above_max_length/i;

const noCreditPattern =
  /insufficient_quota|insufficient (?:credits?|balance|funds)|credit balance is too low/i;

const unknownModelPattern =
  /model_not_found|not_found_error.{0,20}model:|\bmodels?\b.{0,100}(?:not found|does not exist|not exist|no longer available)|(?:no such|unknown|invalid) model\b|DeploymentNotFound/i;

const filterPattern =
  /content_filter|content.filter(?:ed|ing)?|content management policy|ResponsibleAIPolicyViolation|content_policy_violation/i;

/** The error in a response body or a chunk: `{ error: { message, code, type } }`, `{ error: "text" }` or `{ message }`. */
function errorObject(error: unknown): Record<string, unknown> {
  const thrown = toRecord(error);
  const body = toRecord(thrown.data ?? parseJson(String(thrown.responseBody)) ?? thrown.value ?? error);
  if (typeof body.error === "string") return { message: body.error };
  const inner = toRecord(body.error);
  return Object.keys(inner).length > 0 ? inner : body;
}

/** Error codes of the system and the HTTP client, from the outermost error to its root cause. */
function systemCodes(error: unknown): string[] {
  const codes: string[] = [];
  let next = error;
  for (let depth = 0; depth < 6 && next instanceof Error; depth++) {
    const { code, cause, errors } = next as Error & { code?: unknown; errors?: unknown };
    if (typeof code === "string") codes.push(code);
    // If a host has several addresses, Node throws one error for each.
    next = cause ?? (Array.isArray(errors) ? errors[0] : undefined);
  }
  return codes;
}

/** Milliseconds from `retry-after-ms`, or from `retry-after` in seconds or as a date. */
function retryAfterMs(headers: Record<string, unknown>): number | undefined {
  const exact = numeric(headers["retry-after-ms"]);
  if (exact !== undefined) return exact;
  const value = text(headers["retry-after"]);
  if (value === "") return undefined;
  const seconds = numeric(value);
  if (seconds !== undefined) return Math.max(0, seconds * 1000);
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}

function bodyExcerpt(body: unknown): string {
  return typeof body === "string" ? body.slice(0, 1000) : "";
}

/** Any value as an object whose fields can be read. */
export function toRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function numeric(value: unknown): number | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  return typeof value === "string" && /^\d+(?:\.\d+)?$/.test(value.trim()) ? Number(value) : undefined;
}

function text(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}
