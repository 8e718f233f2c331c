import { api, type EndpointName } from "../api.ts";
import { errorOfPermission } from "../accounts/permission-errors.ts";
import type { Permission } from "../accounts/permissions.ts";
import type { Endpoint } from "../endpoint.ts";
import { isErrorCode, type ErrorCode } from "../errors.ts";

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

/** The error of an unknown or malformed id in the path: `prompt-not-found` of `prompt_id`. */
export function errorOfParam(param: string): ErrorCode | undefined {
  if (param === "page_id" || param === "file_secret") return "file-not-found";
  const code = param.replaceAll("_", "-").replace(/-id$/, "-not-found");
  return isErrorCode(code) ? code : undefined;
}

/** Those of a permission that cannot be granted are the same as those of the role. */
function permissionErrors(permission: Permission): ErrorCode[] {
  const code = errorOfPermission(permission);
  if (code === "not-allowed") return [];
  return permission === "threads.share" ? [code, "sharing-off"] : [code];
}

/** All errors of an endpoint: `common` ones of its credential and the server, and its `own` ones. */
export function errorsOf(name: EndpointName): { own: ErrorCode[]; common: ErrorCode[] } {
  const endpoint: Endpoint = api[name];
  const params = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, param]) => errorOfParam(param!));
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
