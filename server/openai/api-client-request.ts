import type { Database } from "#storage/database/database.ts";
import type { Clock } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import type { Logger } from "../lib/logger.ts";
import type { Visitor } from "../lib/route.ts";
import { describeFailure, ModelError } from "../models/model.ts";
import { createTaskRecorder, type RequestPurpose } from "../runs/requests/recorder.ts";

/** Records the requests to a model that an API client's request needs, for the usage of the person. */
export function createApiClientRecorder(
  options: { db: Database; clock: Clock; logger: Logger },
  { appId, workspaceId, userId }: Visitor,
  { purpose, assistantId = null }: { purpose: RequestPurpose; assistantId?: string | null },
) {
  const owner = { appId, workspaceId, userId, threadId: null, assistantId };
  return createTaskRecorder({ ...options, owner, purpose });
}

/** The error for the API client when a model fails. The provider's own message is only in the log. */
export function toAppError(error: unknown, logger: Pick<Logger, "warn">): unknown {
  if (!(error instanceof ModelError)) return error;
  const { code, retryAfterMs, cause } = error;
  logger.warn(describeFailure(error), "the request of an API client to a model failed");
  return new AppError(code, {
    cause,
    ...(retryAfterMs === undefined ? {} : { retryAfterSeconds: Math.ceil(retryAfterMs / 1_000) }),
  });
}
