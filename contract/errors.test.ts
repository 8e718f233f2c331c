import { expect, test } from "vitest";
import { errorBody, errors, type ErrorCode } from "./errors.ts";

const codes = Object.keys(errors) as ErrorCode[];

test.for(codes)("%s has a message for people", (code) => {
  const { status, error, message } = errors[code];
  expect(code).toMatch(/^[a-z]+(-[a-z]+)*$/);
  expect(status).toBeGreaterThanOrEqual(400);
  expect(status).toBeLessThan(600);
  expect(error).not.toBe("");
  expect(message).toMatch(/^[A-Z].*\.$/);
});

test("an error body has the given fields and no empty ones", () => {
  const { error, message } = errors["thread-not-found"];
  expect(errorBody("thread-not-found")).toEqual({ error, code: "thread-not-found", message });
  const details = [{ path: "body.title", message: "must be text" }];
  expect(errorBody("thread-not-found", "req_0", { details })).toEqual({
    error,
    code: "thread-not-found",
    message,
    request_id: "req_0",
    details,
  });
});

test("an error that ends at a known time says when", () => {
  const until = "2026-02-01T00:00:00.000Z";
  const body = errorBody("budget-used", "req_0", { until });
  expect(body).toMatchObject({ code: "budget-used", until });
  expect(body.message).toContain(until);
});

test("only errors that may succeed later can be retried", () => {
  for (const code of codes) {
    const { status, retry } = errors[code];
    if ([429, 499, 500, 507].includes(status)) expect(retry, code).toBe(true);
    if ([400, 401, 403, 404, 405, 415].includes(status)) expect(retry, code).toBeUndefined();
  }
});
