import type { ErrorCode } from "../errors.ts";
import type { Permission } from "./permissions.ts";

/** The error for somebody without the permission: it says what is missing and who can change that. */
export function errorOfPermission(permission: Permission): ErrorCode {
  if (permission === "files.upload") return "files-not-allowed";
  if (permission === "threads.share" || permission === "threads.invite") return "sharing-not-allowed";
  return permission === "api-keys.use" ? "keys-not-allowed" : "not-allowed";
}
