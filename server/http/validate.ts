import * as z from "zod/mini";
import type { ErrorCode, ErrorDetail } from "#contract/errors.ts";
import { errorOfParam } from "#contract/reference/errors-of.ts";
import { AppError } from "../lib/errors.ts";
import { validationMessage } from "../lib/validation-message.ts";

/** In a list of a thousand entries, each can be wrong. */
const detailsMax = 20;

/**
 * The output of a schema for one part of a request. Throws `bad-request` with the wrong fields; for a malformed id in
 * the path, throws that nothing with this id exists.
 */
export function validate(schema: z.ZodMiniType, value: unknown, place: "path" | "query" | "body"): unknown {
  const outcome = z.safeParse(schema, value ?? {});
  if (outcome.success) return outcome.data;
  if (place === "path") throw new AppError(notFoundCode(outcome.error.issues[0]?.path[0]));
  const details: ErrorDetail[] = outcome.error.issues.slice(0, detailsMax).map((issue) => ({
    path: [place, ...issue.path.map(String)].join("."),
    message: validationMessage(issue),
  }));
  throw new AppError("bad-request", { details });
}

function notFoundCode(param: PropertyKey | undefined): ErrorCode {
  // The name of a sign-in provider.
  if (param === "provider") return "sign-in-provider-not-found";
  return errorOfParam(String(param)) ?? "not-found";
}
