import type { UserKind } from "#contract/endpoints/auth.ts";
import type { Role } from "#contract/accounts/permissions.ts";
import type { Database } from "#storage/database/database.ts";
import * as rows from "../rows.ts";

/** The role of a user of this server. */
export function roleOf({ kind, is_owner: isOwner }: { kind: UserKind; is_owner: number }): Role {
  if (kind === "anonymous") return "guest";
  if (kind === "member") return "member";
  return isOwner === 1 ? "owner" : "admin";
}

/**
 * The role of a user in a workspace, for work that outlives its request. Users of a backend, who can have any id, are
 * members in their own workspaces.
 */
export async function findRole(
  db: Database,
  { userId, workspaceId }: { userId: string; workspaceId: string },
): Promise<Role> {
  const user = await rows.findUserInWorkspace(db, userId, workspaceId);
  return user === undefined ? "member" : roleOf(user);
}
