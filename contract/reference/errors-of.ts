import { api, type EndpointName } from "../api.ts";
import { errorOfPermission } from "../accounts/permission-errors.ts";
import type { Permission } from "../accounts/permissions.ts";
import type { Endpoint } from "../endpoint.ts";
import type { ErrorCode } from "../errors.ts";

/** Errors of credentials. */
const credentialErrors = [
  "not-signed-in",
  "unsupported-scheme",
  "token-expired",
  "unsupported-credential",
  "invalid-token",
  "invalid-api-key",
  "invalid-user-header",
  "user-id-of-account",
  "invalid-workspace-header",
  "unknown-issuer",
  "wrong-audience",
  "workspace-claim-missing",
  "sign-in-unavailable",
  "anonymous-off",
] as const satisfies readonly ErrorCode[];

/** Errors of every endpoint. */
const serverErrors = [
  "origin-not-allowed",
  "host-not-allowed",
  "internal",
  "maintenance",
  "storage-full",
  "storage-unavailable",
] as const satisfies readonly ErrorCode[];

/** Errors of endpoints with a body. */
const bodyErrors = [
  "bad-json",
  "too-large",
  "request-timeout",
  "rate-limited",
  "server-busy",
] as const satisfies readonly ErrorCode[];

const errorOfParam: Record<string, ErrorCode> = {
  thread_id: "thread-not-found",
  message_id: "message-not-found",
  run_id: "run-not-found",
  lease_id: "lease-not-found",
  comparison_id: "comparison-not-found",
  queued_id: "queued-not-found",
  file_id: "file-not-found",
  assistant_id: "assistant-not-found",
  label_id: "label-not-found",
  prompt_id: "prompt-not-found",
  provider_id: "provider-not-found",
  invitation_id: "invitation-not-found",
  key_id: "key-not-found",
  share_id: "share-not-found",
  person_id: "person-not-found",
  group_id: "group-not-found",
  app_id: "app-not-found",
  jwt_rule_id: "jwt-rule-not-found",
  budget_id: "budget-not-found",
  member_id: "member-not-found",
  summary_id: "summary-not-found",
  page_id: "file-not-found",
};

/** Those of a permission that cannot be granted are the same as those of the role. */
function permissionErrors(permission: Permission): ErrorCode[] {
  const code = errorOfPermission(permission);
  if (code === "not-allowed") return [];
  return permission === "threads.share" ? [code, "sharing-off"] : [code];
}

/** All errors of an endpoint: `common` ones of its credential and the server, and its `own` ones. */
export function errorsOf(name: EndpointName): { own: ErrorCode[]; common: ErrorCode[] } {
  const endpoint: Endpoint = api[name];
  const params = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, param]) => errorOfParam[param!]);
  const own = [
    ...(endpoint.query === undefined && endpoint.body === undefined ? [] : (["bad-request"] as const)),
    ...(endpoint.body === undefined ? [] : bodyErrors),
    ...params.filter((code) => code !== undefined),
    ...(endpoint.permission === undefined ? [] : permissionErrors(endpoint.permission)),
    ...(endpoint.members === "write" ? (["thread-read-only"] as const) : []),
    ...(endpoint.errors ?? []),
  ];
  const common = [
    ...(endpoint.caller === "anyone" || endpoint.caller === "link" ? [] : credentialErrors),
    ...(endpoint.caller === "key" || endpoint.caller === "app" ? (["backend-only"] as const) : []),
    ...(endpoint.caller === "account" ? (["not-allowed"] as const) : []),
    ...((endpoint.caller === "account" || endpoint.caller === "visitor") &&
    endpoint.worksWithoutSecondFactor === undefined
      ? (["second-factor-required"] as const)
      : []),
    ...((endpoint.caller === "account" || endpoint.caller === "visitor") &&
    endpoint.worksWhileLeaving === undefined
      ? (["account-deleted"] as const)
      : []),
    ...serverErrors,
  ];
  return { own: [...new Set(own)], common };
}
