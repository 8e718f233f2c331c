import type { ErrorCode } from "#contract/errors.ts";
import { ModelError } from "../../model.ts";

/** What a provider or the way to it said when it failed. */
export type Failure = {
  /** The HTTP status, or a code of an error chunk that is one. */
  status: number | undefined;
  /** The provider's word for it (`context_length_exceeded`) or the system's (`ECONNREFUSED`). */
  code: string;
  says: string;
  /** How long the provider asks to wait, in milliseconds. */
  retryAfterMs: number | undefined;
};

/** Reads what the library throws, and the errors that arrive inside a stream. Never throws. */
export function readFailure(error: unknown): Failure {
  const thrown = fields(error);
  const { status, headers } = { status: numeric(thrown.statusCode), headers: fields(thrown.responseHeaders) };
  const said = errorObject(error);
  const says = [text(said.message), text(thrown.message), bodyExcerpt(thrown.responseBody)];
  return {
    status: status ?? numeric(said.code) ?? numeric(said.status),
    code: [text(said.code), text(said.type), ...systemCodes(error)].filter((word) => word !== "").join(" "),
    says: [...new Set(says.filter((words) => words !== ""))].join(" | "),
    retryAfterMs: retryAfterMs(headers),
  };
}

/** The catalogue's code for a failure; `begun` is whether the provider had accepted the request. */
export function codeOf({ status, code, says }: Failure, begun: boolean): ErrorCode {
  const words = `${code} ${says}`;
  const refusable = status === undefined ? begun : status !== 429 && status !== 401 && status !== 403;
  if (refusable && contextPattern.test(words)) return "context-too-long";
  if (refusable && filterPattern.test(words)) return "content-filtered";
  if (isWebPage(status, words)) return "provider-not-a-model";
  if (/insufficient_quota|insufficient credits/i.test(words)) return "provider-refused";
  if (status === undefined || (status >= 200 && status < 300)) {
    if (!begun) return status === undefined ? "provider-unreachable" : "provider-broke-off";
    return /overloaded|rate.?limit/i.test(words) ? "provider-overloaded" : "provider-broke-off";
  }
  if (status === 401 || status === 403) return "provider-refused-key";
  if (status === 413) return "context-too-long";
  if (status === 408 || status === 502 || status === 504 || (status >= 520 && status <= 527))
    return "provider-unreachable";
  // 500 is what OpenAI and its likes answer when they have too much to do, with the advice to ask again.
  if (status === 429 || status >= 500) return "provider-overloaded";
  if (status >= 400) return "provider-refused";
  return "provider-unreachable";
}

/** A failure as the rest of the server sees it. `secret` is the key, which must not reach the log. */
export function toModelError(failure: Failure, begun: boolean, secret: string | undefined): ModelError {
  const { status, code, says } = failure;
  const line = [status === undefined ? "" : `status ${status}`, code, says]
    .filter((word) => word !== "")
    .join(": ");
  // Not the library's error: it holds the whole conversation and the headers.
  return new ModelError(codeOf(failure, begun), { cause: new Error(without(line, secret)) });
}

/** The code of the error for an answer that is a page of HTML and claims to be a success. */
export const webPage = "WEB_PAGE";

/** Whether a web server answered that has no such address; where the status says more than the page, it counts. */
function isWebPage(status: number | undefined, words: string): boolean {
  if (status === undefined || (status >= 200 && status < 300)) return words.includes(webPage);
  return (status === 404 || status === 405) && /<!doctype html|<html/i.test(words);
}

function without(line: string, secret: string | undefined): string {
  return secret === undefined || secret === "" ? line : line.replaceAll(secret, "[key]");
}

const contextPattern =
  /context_length_exceeded|context.{0,12}(?:length|window|size)|maximum (?:context|prompt|input)|prompt is too long|too many (?:input |prompt )?tokens|input is too long|reduce the length|exceeds the (?:model'?s )?(?:maximum|max|available)|max_prompt_tokens|tokens? limit exceeded|string_above_max_length/i;

const filterPattern =
  /content_filter|content.filter(?:ed|ing)?|content management policy|ResponsibleAIPolicyViolation|content_policy_violation/i;

/** An error body is `{ error: { message, code, type } }`, `{ error: "words" }` or `{ message }`; also of a bad chunk. */
function errorObject(error: unknown): Record<string, unknown> {
  const thrown = fields(error);
  const body = fields(thrown.data ?? parsed(thrown.responseBody) ?? thrown.value ?? error);
  if (typeof body.error === "string") return { message: body.error };
  const inner = fields(body.error);
  return Object.keys(inner).length > 0 ? inner : body;
}

/** Codes of the system and of the HTTP client, from the outermost error to its first cause. */
function systemCodes(error: unknown): string[] {
  const codes: string[] = [];
  let next = error;
  for (let depth = 0; depth < 6 && next instanceof Error; depth++) {
    const { code, cause, errors } = next as Error & { code?: unknown; errors?: unknown };
    if (typeof code === "string") codes.push(code);
    // A host with several addresses fails with one error for each.
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

function parsed(body: unknown): unknown {
  if (typeof body !== "string") return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function fields(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function numeric(value: unknown): number | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  return typeof value === "string" && /^\d+(?:\.\d+)?$/.test(value.trim()) ? Number(value) : undefined;
}

function text(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}
