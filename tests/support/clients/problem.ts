import { expect } from "vitest";
import { errorMessage, errors, type ErrorBody, type ErrorCode } from "#contract/errors.ts";

type ErrorResponse = { status: number; text: string; headers: Headers | Record<string, unknown> };

/** Internals that responses must never contain: stacks, SQL, paths and names of libraries. */
const internals =
  /\bat \S+ \(|node_modules|\.ts\b|file:\/\/|\/tmp\/|\/work\/|\bselect\b.*\bfrom\b|insert into|update .* set |sqlite|postgres|kysely|ECONN|ENOENT|zod|\bundefined\b|\[object/i;

/**
 * Expects an error exactly as `contract/errors.ts` has it: status, texts, request id and optional details. Returns its
 * code.
 */
export function expectProblem(answer: ErrorResponse, ...codes: ErrorCode[]): ErrorCode {
  const body = JSON.parse(answer.text) as ErrorBody;
  expect(Object.keys(errors), answer.text).toContain(body.code);
  if (codes.length > 0) expect(codes, `${answer.status} ${answer.text}`).toContain(body.code);
  const entry = errors[body.code];
  expect(answer.status, answer.text).toBe(entry.status);
  const { request_id: requestId, details, until, ...rest } = body;
  expect(rest).toEqual({ error: entry.error, code: body.code, message: errorMessage(body.code, until) });
  expect(requestId).toBe(headerOf(answer, "x-request-id"));
  expect(requestId).toMatch(/^req_0[0-9a-z]{24}$/);
  for (const detail of details ?? []) {
    expect(Object.keys(detail).toSorted()).toEqual(["message", "path"]);
    expect(detail.path).toMatch(/^(body|query|header|path|database|files)(\.|$)/);
    expect(detail.message).not.toBe("");
  }
  expect(answer.text).not.toMatch(internals);
  expect(headerOf(answer, "content-type")).toBe("application/json; charset=utf-8");
  expect(headerOf(answer, "cache-control")).toBe("private, no-store");
  return body.code;
}

function headerOf({ headers }: ErrorResponse, name: string): string | null {
  if (headers instanceof Headers) return headers.get(name);
  const value = headers[name];
  return typeof value === "string" ? value : null;
}
