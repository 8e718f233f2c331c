import { domainOf, emailKey } from "#contract/accounts/email.ts";
import { newId } from "#contract/ids.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { recordAudit } from "#server/audit/audit.ts";
import type { Clock } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import type { Visitor } from "#server/lib/route.ts";
import { insertOwnUser, revokeSessionsOf } from "../rows.ts";
import { hashOf, isSameSecret } from "../secrets.ts";
import type { OpenSession, Sessions } from "../sessions.ts";
import { asEmailTaken, sessionUserOf, type RequestSource } from "./account-session.ts";
import { isUsable } from "./invitations.ts";
import { findInvitation, lockInvitation, markInvitationUsed } from "./invitation-rows.ts";
import type { PasswordHasher } from "./password-hash.ts";
import type { PolicyStore } from "./policy.ts";
import * as rows from "./rows.ts";

type SignUpRequest = {
  name: string;
  email: string;
  password: string;
  owner_secret?: string | undefined;
  invitation?: string | undefined;
};

/** What entitles a person to an account. */
type Entitlement =
  | { by: "owner-link" }
  | { by: "invitation"; tokenHash: string }
  | { by: "settings"; needsApproval: boolean };

/**
 * Creates accounts. The account of a guest, or of an owner without one, is the user that they are already, so everything
 * that they have stays theirs. Without a `session` an administrator has to approve the account.
 *
 * Throws `invalid-owner-link`, `owner-has-account`, `invitation-invalid`, `invitation-needed`, `already-joined`,
 * `email-taken` and `server-busy`.
 */
export type SignUp = (
  request: SignUpRequest,
  from: RequestSource,
) => Promise<{ session: OpenSession | undefined }>;

export function createSignUp(options: {
  db: Database;
  clock: Clock;
  projectId: string;
  sessions: Sessions;
  policy: PolicyStore;
  hasher: PasswordHasher;
  ownerSecret: string;
}): SignUp {
  const { db, clock, projectId, sessions, policy, hasher, ownerSecret } = options;

  /** Checked before the password is hashed, which is expensive. */
  async function entitlementOf(request: SignUpRequest, former: Visitor | undefined): Promise<Entitlement> {
    const hasAccounts = await rows.hasOwnerAccount(db.read);
    // The owner has opened the link already.
    if (former?.role === "owner" && !hasAccounts) return { by: "owner-link" };
    if (request.owner_secret !== undefined) {
      if (!isSameSecret(request.owner_secret, ownerSecret)) throw new AppError("invalid-owner-link");
      if (hasAccounts) throw new AppError("owner-has-account");
      return { by: "owner-link" };
    }
    if (request.invitation !== undefined) {
      const tokenHash = hashOf(request.invitation);
      if (!isUsable(await findInvitation(db.read, tokenHash), clock.now()))
        throw new AppError("invitation-invalid");
      return { by: "invitation", tokenHash };
    }
    const { joining, emailDomains } = await policy.get();
    const isOpen = hasAccounts && joining === "open";
    const canAsk = hasAccounts && (joining === "approval" || emailDomains.includes(domainOf(request.email)));
    if (!isOpen && !canAsk) throw new AppError("invitation-needed");
    return { by: "settings", needsApproval: !isOpen };
  }

  /** The row that becomes the account, locked. */
  async function lockUser(
    tx: Tx,
    entitlement: Entitlement,
    formerId: string | undefined,
  ): Promise<rows.AccountRow> {
    if (entitlement.by === "owner-link") {
      const owner = await rows.findFirstOwner(tx.q);
      const locked = owner && (await rows.lockUsers(tx, [owner.id])).get(owner.id);
      // Read under the lock: two browsers may create the first account at the same time.
      if (locked === undefined || (await rows.hasOwnerAccount(tx.q))) throw new AppError("owner-has-account");
      return locked;
    }
    const former = formerId === undefined ? undefined : (await rows.lockUsers(tx, [formerId])).get(formerId);
    if (former !== undefined && (former.kind !== "anonymous" || former.email_key !== null))
      throw new AppError("already-joined");
    if (former !== undefined && former.merged_into === null) return former;
    const nowMs = clock.now();
    const user = {
      userId: newId("user", nowMs),
      workspaceId: newId("workspace", nowMs),
      kind: "anonymous",
    } as const;
    await insertOwnUser(tx, user, projectId, nowMs);
    return (await rows.lockUsers(tx, [user.userId])).get(user.userId)!;
  }

  async function roleFor(tx: Tx, entitlement: Entitlement, userId: string) {
    if (entitlement.by === "owner-link") return "admin";
    if (entitlement.by === "settings") return "member";
    const invitation = await lockInvitation(tx, entitlement.tokenHash);
    if (!isUsable(invitation, clock.now())) throw new AppError("invitation-invalid");
    await markInvitationUsed(tx, invitation.id, userId, clock.now());
    return invitation.role;
  }

  return async (request, from) => {
    const former = await sessions.findByToken("cookie", from.sessionToken);
    const entitlement = await entitlementOf(request, former);
    const hash = await hasher.hash(request.password);
    const isWaiting = entitlement.by === "settings" && entitlement.needsApproval;
    return await db
      .write(async (tx) => {
        const nowMs = clock.now();
        const user = await lockUser(tx, entitlement, former?.userId);
        const actor = { id: user.id, address: from.address };
        await rows.changeUser(tx, user.id, {
          name: request.name.trim(),
          email: request.email.trim(),
          email_key: emailKey(request.email),
          ...(isWaiting ? {} : { kind: await roleFor(tx, entitlement, user.id), joined_at: nowMs }),
        });
        await rows.putPassword(tx, user.id, hash, nowMs);
        if (isWaiting) {
          await rows.insertJoinRequest(tx, user.id, nowMs);
          await recordAudit(tx, { action: "join-requested", actor }, nowMs);
          return { session: undefined };
        }
        // A session from before may be known to others.
        await revokeSessionsOf(tx, user.id, "all", nowMs);
        if (former !== undefined && former.userId !== user.id)
          await revokeSessionsOf(tx, former.userId, { id: former.credentialId }, nowMs);
        await recordAudit(tx, { action: "account-created", actor, details: { by: entitlement.by } }, nowMs);
        const account = (await rows.findAccount(tx.q, { id: user.id }))!;
        const method = entitlement.by === "owner-link" ? "owner-link" : "password";
        return { session: await sessions.openIn(tx, sessionUserOf(account), { ...from, method }) };
      })
      .catch(asEmailTaken);
  };
}
