import type { UserKind } from "#contract/endpoints/auth.ts";
import type { Role } from "#contract/accounts/permissions.ts";

/** The role of a user of this server. */
export function roleOf({ kind, is_owner: isOwner }: { kind: UserKind; is_owner: number }): Role {
  if (kind === "anonymous") return "guest";
  if (kind === "member") return "member";
  return isOwner === 1 ? "owner" : "admin";
}
