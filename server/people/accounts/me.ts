import { isoTime } from "#server/lib/clock.ts";
import type { Me } from "#contract/endpoints/auth.ts";
import { permissions } from "#contract/accounts/permissions.ts";
import type { Database } from "#storage/database/database.ts";
import { isOwnUser, type Visitor } from "#server/lib/route.ts";
import type { Rights } from "../rights/rights.ts";
import * as rows from "../users/rows.ts";
import { lacksRequiredSecondFactor, type PolicyStore } from "./policy.ts";
import { presentProfile } from "../profile/profiles.ts";
import { findProfile } from "../profile/rows.ts";
import { hasAccounts } from "./rows.ts";

/** The user of a credential, as the web app and other clients see themselves. */
export async function presentMe(
  db: Database,
  { policy, rights }: { policy: PolicyStore; rights: Rights },
  visitor: Visitor,
): Promise<Me> {
  const { userId, role } = visitor;
  const account =
    isOwnUser(visitor) && role !== "guest"
      ? await rows.findUserInWorkspace(db, userId, visitor.workspaceId)
      : undefined;
  // Read before the permissions, so that it is never newer than they are.
  const digest = await rights.digestOf(visitor);
  const [access, isSharingOn, profile] = await Promise.all([
    rights.of(visitor),
    rights.isLinkSharingOn(),
    account === undefined ? undefined : findProfile(db.read, userId),
  ]);
  return {
    user_id: userId,
    workspace_id: visitor.workspaceName,
    kind: isOwnUser(visitor) ? visitor.kind : "member",
    role,
    permissions: permissions.filter(
      (permission) => access.has(permission) && (permission !== "threads.share" || isSharingOn),
    ),
    access: digest,
    name: account?.name ?? null,
    email: account?.email ?? null,
    profile: account === undefined ? null : presentProfile(profile),
    needs_second_factor: lacksRequiredSecondFactor(visitor, await policy.get()),
    deletes_at: account?.deletion_due_at == null ? null : isoTime(account.deletion_due_at),
    can_sign_in: role === "guest" && (await hasAccounts(db.read)),
  };
}
