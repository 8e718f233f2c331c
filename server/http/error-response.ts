import { errors, type ErrorCode } from "#contract/errors.ts";
import type { AppError } from "../lib/errors.ts";
import type { Logger } from "../lib/logger.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { drain } from "./body/read-bytes.ts";
import { openAiErrorBody } from "../openai/error-body.ts";
import type { AppContext, AppEnv } from "./request-context.ts";
import { loggedPath } from "./logged-path.ts";
import { problemBody, problemOf, problemStatus } from "./problem.ts";

export type ErrorLogOptions = {
  logger: Logger;
  /** Aborts when the server shuts down. */
  closing: AbortSignal;
  metrics: Metrics | undefined;
};

/** Responds to errors that were thrown before the response began. */
export function createErrorHandler(options: ErrorLogOptions) {
  return async (error: unknown, c: AppContext): Promise<Response> => {
    const problem = logError(error, c, options);
    // The connection closes after this response, which would interrupt a client that is still sending.
    if (!c.env.outgoing.shouldKeepAlive && problem.code !== "request-timeout") await drain(c.env.incoming);
    const { retryAfterSeconds } = problem;
    const body = c.req.path.startsWith("/openai/")
      ? openAiErrorBody(problem)
      : problemBody(problem, c.get("requestId"));
    return c.body(JSON.stringify(body), problemStatus(problem) as 500, {
      ...c.get("commonHeaders"),
      ...(retryAfterSeconds === undefined ? {} : { "Retry-After": String(retryAfterSeconds) }),
      ...problem.headers,
      "X-Request-Id": c.get("requestId"),
      ...jsonHeaders,
    });
  };
}

/** The credential is not valid. An expired one is not a failed sign-in. */
const failedSignIns: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "unsupported-credential",
  "invalid-token",
  "unknown-issuer",
  "wrong-audience",
  "workspace-claim-missing",
  "invalid-api-key",
  "invalid-refresh-token",
  "invalid-owner-link",
]);

export const jsonHeaders = {
  "Content-Type": "application/json; charset=utf-8",
  "Cache-Control": "private, no-store",
  "X-Content-Type-Options": "nosniff",
};

/**
 * Logs an error under the request's id, with the cause, and returns what the client may see. Only unexpected errors
 * have level `error`.
 */
export function logError(
  error: unknown,
  c: {
    var: Pick<AppEnv["Variables"], "requestId" | "endpoint" | "address">;
    req: { method: string; path: string };
  },
  { logger, closing, metrics }: ErrorLogOptions,
): AppError {
  const problem = problemOf(error);
  metrics?.errorAnswered(problem.code);
  const { requestId, endpoint, address } = c.var;
  const path = loggedPath(endpoint, c.req.path);
  const fields = { requestId, method: c.req.method, path, code: problem.code };
  const isShutdown = closing.aborted && problem.cause === closing.reason;
  if (problemStatus(problem) >= 500 && errors[problem.code].expected !== true && !isShutdown)
    logger.error({ ...fields, err: problem.cause ?? problem }, "request failed");
  else if (failedSignIns.has(problem.code)) logger.warn({ ...fields, address }, "sign-in failed");
  else logger.debug(fields, "request refused");
  return problem;
}
