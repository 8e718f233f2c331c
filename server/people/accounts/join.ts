import { domainOf, emailKey } from "#contract/accounts/email.ts";
import type { OpenTo } from "#contract/endpoints/accounts.ts";
import { newId } from "#contract/ids.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { recordAudit } from "#server/audit/audit.ts";
import type { Clock } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import type { Visitor } from "#server/lib/route.ts";
import { decideWhoMayUse } from "../first-account.ts";
import { insertOwnUser } from "../users/rows.ts";
import { revokeSessionsOf } from "#server/sign-in/rows.ts";
import { isSameSecret } from "#server/sign-in/secrets.ts";
import type { OpenSession, SessionMethod, Sessions } from "#server/sign-in/sessions.ts";
import { sessionUserOf, type Adopt, type RequestSource } from "./account-session.ts";
import { isUsable } from "./invitations.ts";
import { findInvitation, lockInvitation, markInvitationUsed, revokeInvitation } from "./invitation-rows.ts";
import type { PolicyStore } from "./policy.ts";
import { takePrepared } from "../prepared/rows.ts";
import * as rows from "./rows.ts";

/** What entitles a person to an account. */
type Ground =
  | { by: "owner-link" }
  | { by: "invitation"; tokenHash: string }
  | { by: "import"; userId: string }
  | { by: "provider" }
  | { by: "settings"; needsApproval: boolean; isKnownDomain: boolean };
type Entitlement = Ground & {
  /** Who made the request. Read once: another tab can end the session before the account is created. */
  former: Visitor | undefined;
};

type JoinRequest = {
  name: string;
  email: string;
  /** Whether a provider says that the address belongs to the person. */
  isEmailVerified: boolean;
  ownerSecret?: string | undefined;
  invitationHash?: string | undefined;
  /** The person whose threads were imported for this address, if who has proved it may claim them. */
  preparedId?: string | undefined;
  /** The provider gives an account to everyone it knows. */
  isAdmitted?: boolean;
  /** Who may use the server once it has its first account. Without it, only people with an account. */
  openTo?: OpenTo | undefined;
  guestTokensPerDay?: number | undefined;
};

/** How a new account is signed in to. */
export type NewAccountProof = {
  method: SessionMethod;
  details?: Record<string, string>;
  /** Stores the proof, in the same transaction. */
  store: (tx: Tx, userId: string, nowMs: number) => Promise<void>;
};

/**
 * Creates accounts. The account of a guest, or of an owner without one, keeps the user's id, and so everything that the
 * user has.
 */
export type Join = {
  /**
   * What entitles the person to an account. Checked again when the account is created. Throws `invalid-owner-link`,
   * `owner-has-account`, `invitation-invalid` and `invitation-needed`.
   */
  entitlementOf(request: JoinRequest, from: RequestSource): Promise<Entitlement>;
  /**
   * Creates the account. Without a `session` an administrator has to approve it. Throws the same, `already-joined`, and the
   * database's error if somebody has the address.
   */
  create(
    request: JoinRequest,
    entitlement: Entitlement,
    from: RequestSource,
    proof: NewAccountProof,
  ): Promise<{ session: OpenSession | undefined; userId: string }>;
};

export function createJoin(options: {
  db: Database;
  clock: Clock;
  appId: string;
  sessions: Sessions;
  policy: PolicyStore;
  ownerSecret: string;
  adopt: Adopt;
}): Join {
  const { db, clock, appId, sessions, policy, ownerSecret, adopt } = options;

  async function groundOf(request: JoinRequest, former: Visitor | undefined): Promise<Ground> {
    const hasAccounts = await rows.hasOwnerAccount(db.read);
    // The owner has opened the link already.
    if (former?.role === "owner" && !hasAccounts) return { by: "owner-link" };
    if (request.ownerSecret !== undefined) {
      if (!isSameSecret(request.ownerSecret, ownerSecret)) throw new AppError("invalid-owner-link");
      if (hasAccounts) throw new AppError("owner-has-account");
      return { by: "owner-link" };
    }
    if (request.invitationHash !== undefined) {
      const tokenHash = request.invitationHash;
      if (!isUsable(await findInvitation(db.read, tokenHash), clock.now()))
        throw new AppError("invitation-invalid");
      return { by: "invitation", tokenHash };
    }
    if (!hasAccounts) throw new AppError("invitation-needed");
    if (request.preparedId !== undefined) return { by: "import", userId: request.preparedId };
    if (request.isAdmitted === true) return { by: "provider" };
    const { joining, emailDomains } = await policy.get();
    const isKnownDomain = emailDomains.includes(domainOf(request.email));
    if (joining === "open" || (isKnownDomain && request.isEmailVerified))
      return { by: "settings", needsApproval: false, isKnownDomain };
    if (joining === "approval" || isKnownDomain)
      return { by: "settings", needsApproval: true, isKnownDomain };
    throw new AppError("invitation-needed");
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
    const prepared = await lockPrepared(tx, entitlement);
    if (prepared !== undefined) return prepared;
    if (former !== undefined && former.merged_into === null) return former;
    const nowMs = clock.now();
    const user = {
      userId: newId("user", nowMs),
      workspaceId: newId("workspace", nowMs),
      kind: "anonymous",
    } as const;
    await insertOwnUser(tx, user, appId, nowMs);
    return (await rows.lockUsers(tx, [user.userId])).get(user.userId)!;
  }

  /** The person whose chats were brought from another server. Throws `invitation-needed` if somebody has just claimed them. */
  async function lockPrepared(tx: Tx, entitlement: Entitlement): Promise<rows.AccountRow | undefined> {
    const taken = await takeImport(tx, entitlement);
    const user = taken && (await rows.lockUsers(tx, [taken.user_id])).get(taken.user_id);
    if (user?.joined_at === null && user.merged_into === null) return user;
    if (entitlement.by === "import") throw new AppError("invitation-needed");
    return undefined;
  }

  async function takeImport(tx: Tx, entitlement: Entitlement) {
    if (entitlement.by === "invitation") {
      const invitation = await lockInvitation(tx, entitlement.tokenHash);
      return isUsable(invitation, clock.now())
        ? await takePrepared(tx, { invitationId: invitation.id })
        : undefined;
    }
    if (entitlement.by !== "import") return undefined;
    const taken = await takePrepared(tx, entitlement);
    if (taken?.invitation_id != null) await revokeInvitation(tx, taken.invitation_id, clock.now());
    return taken;
  }

  async function roleFor(tx: Tx, entitlement: Entitlement, userId: string) {
    if (entitlement.by === "owner-link") return "admin";
    if (entitlement.by !== "invitation") return "member";
    const invitation = await lockInvitation(tx, entitlement.tokenHash);
    if (!isUsable(invitation, clock.now())) throw new AppError("invitation-invalid");
    await markInvitationUsed(tx, invitation.id, userId, clock.now());
    return invitation.role;
  }

  return {
    async entitlementOf(request, from) {
      const former = await sessions.findByToken("cookie", from.sessionToken);
      return { ...(await groundOf(request, former)), former };
    },

    async create(request, entitlement, from, { method, details, store }) {
      const { former } = entitlement;
      const isWaiting = entitlement.by === "settings" && entitlement.needsApproval;
      return await db.write(async (tx) => {
        const nowMs = clock.now();
        const user = await lockUser(tx, entitlement, former?.userId);
        const actor = { id: user.id, address: from.address };
        await rows.changeUser(tx, user.id, {
          name: request.name.trim(),
          email: request.email.trim(),
          email_key: emailKey(request.email),
          email_verified_at: request.isEmailVerified ? nowMs : null,
          ...(isWaiting ? {} : { kind: await roleFor(tx, entitlement, user.id), joined_at: nowMs }),
        });
        await store(tx, user.id, nowMs);
        if (isWaiting) {
          await rows.insertJoinRequest(tx, user.id, nowMs);
          await recordAudit(tx, { action: "join-requested", actor }, nowMs);
          return { session: undefined, userId: user.id };
        }
        // Others may know a session from before.
        await revokeSessionsOf(tx, user.id, "all", nowMs);
        if (former !== undefined && former.userId !== user.id)
          await revokeSessionsOf(tx, former.userId, { id: former.credentialId }, nowMs);
        const how = { by: entitlement.by, ...details };
        await recordAudit(tx, { action: "account-created", actor, details: how }, nowMs);
        if (entitlement.by === "owner-link") await decideWhoMayUse(tx, request, actor, nowMs);
        const account = (await rows.findAccount(tx.q, { id: user.id }))!;
        const session = await sessions.openIn(tx, sessionUserOf(account), { ...from, method });
        if (former?.kind === "anonymous" && former.userId !== user.id) {
          // The chats that were brought are the account's; those of the guest come to them.
          const guest = (await rows.lockUsers(tx, [former.userId])).get(former.userId);
          if (guest?.merged_into === null) await adopt(tx, former, session.visitor);
          await rows.changeUser(tx, former.userId, { merged_into: user.id });
        }
        return { session, userId: user.id };
      });
    },
  };
}
