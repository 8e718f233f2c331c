import type { Me } from "#contract/endpoints/auth.ts";
import { allows, permissions } from "#contract/accounts/permissions.ts";
import type { Database } from "#storage/database/database.ts";
import { isOwnUser, type Visitor } from "#server/lib/route.ts";
import * as rows from "../rows.ts";
import { hasAccounts } from "./rows.ts";

/** The user of a credential, as the web app and other clients see themselves. */
export async function presentMe(db: Database, visitor: Visitor): Promise<Me> {
  const { userId, role } = visitor;
  const account =
    isOwnUser(visitor) && role !== "guest"
      ? await rows.findUserInWorkspace(db, userId, visitor.workspaceId)
      : undefined;
  return {
    user_id: userId,
    workspace_id: visitor.workspaceName,
    kind: isOwnUser(visitor) ? visitor.kind : "member",
    role,
    permissions: permissions.filter((permission) => allows(role, permission)),
    name: account?.name ?? null,
    email: account?.email ?? null,
    can_sign_in: role === "guest" && (await hasAccounts(db.read)),
  };
}
