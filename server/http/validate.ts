import * as z from "zod/mini";
import type { ErrorCode, ErrorDetail } from "#contract/errors.ts";
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
  if (param === "thread_id") return "thread-not-found";
  if (param === "message_id") return "message-not-found";
  if (param === "queued_id") return "queued-not-found";
  if (param === "run_id") return "run-not-found";
  if (param === "lease_id") return "lease-not-found";
  if (["file_id", "file_secret", "page_id"].includes(String(param))) return "file-not-found";
  if (param === "assistant_id") return "assistant-not-found";
  if (param === "label_id") return "label-not-found";
  if (param === "prompt_id") return "prompt-not-found";
  if (param === "picture_id") return "picture-not-found";
  if (param === "comparison_id") return "comparison-not-found";
  if (param === "provider_id") return "provider-not-found";
  if (param === "passkey_id") return "passkey-not-found";
  if (param === "sign_in_provider_id" || param === "provider") return "sign-in-provider-not-found";
  if (param === "session_id") return "session-not-found";
  if (param === "person_id") return "person-not-found";
  if (param === "invitation_id") return "invitation-not-found";
  if (param === "key_id") return "key-not-found";
  if (param === "share_id") return "share-not-found";
  if (param === "summary_id") return "summary-not-found";
  if (param === "member_id") return "member-not-found";
  if (param === "group_id") return "group-not-found";
  if (param === "app_id") return "app-not-found";
  if (param === "jwt_rule_id") return "jwt-rule-not-found";
  if (param === "budget_id") return "budget-not-found";
  return "not-found";
}
