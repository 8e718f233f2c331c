import type { SignInMethods } from "#contract/endpoints/accounts.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { recordAudit } from "#server/audit/audit.ts";
import { type Clock, isoTime } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import type { Visitor } from "#server/lib/route.ts";
import type { RequestSource } from "./account-session.ts";
import type { RequireRecentSignIn } from "#server/sign-in/recent-sign-in.ts";
import type { ClaimedGroups } from "../groups/claimed-groups.ts";
import { countRecoveryCodes, findSecondFactor } from "#server/sign-in/second-factor/rows.ts";
import { presentPasskey } from "#server/sign-in/passkeys/present.ts";
import { hasPasskeyAt, ownedPasskeys } from "#server/sign-in/passkeys/rows.ts";
import { disconnectProxy } from "#server/sign-in/proxy-sign-in/disconnect.ts";
import { findProxyIdentityOf } from "#server/sign-in/proxy-sign-in/rows.ts";
import { deleteIdentity, listIdentities } from "#server/sign-in/providers/identity-rows.ts";
import { changeUser, findAccount, lockUsers, type AccountRow } from "./rows.ts";

/** What decides which ways to sign in work on this server. */
export type SignInHere = {
  /** The host name that people open, if it is set. */
  host: string | undefined;
  /** Whether a proxy signs people in. */
  hasProxy: boolean;
};

/** How people sign in to their accounts. */
export type OwnSignInMethods = ReturnType<typeof createSignInMethods>;

export function createSignInMethods({
  db,
  clock,
  requireRecent,
  claimedGroups,
  here,
}: {
  db: Database;
  clock: Clock;
  requireRecent: RequireRecentSignIn;
  claimedGroups: ClaimedGroups;
  here: SignInHere;
}) {
  return {
    async list(userId: string): Promise<SignInMethods> {
      const [account, identities, proxy, passkeys, factor, codesLeft] = await Promise.all([
        findAccount(db.read, { id: userId }),
        listIdentities(db.read, userId),
        findProxyIdentityOf(db.read, userId),
        ownedPasskeys.list(db.read, userId),
        findSecondFactor(db.read, userId),
        countRecoveryCodes(db.read, userId),
      ]);
      return {
        has_password: account != null && account.password_hash !== null,
        identities: identities.map((identity) => ({
          provider_id: identity.provider_id,
          provider_name: identity.provider_name,
          email: identity.email,
          last_used_at: isoTime(identity.last_used_at),
        })),
        proxy:
          proxy === undefined ? null : { email: proxy.subject, last_used_at: isoTime(proxy.last_used_at) },
        passkeys: passkeys.map(presentPasskey),
        second_factor:
          factor === undefined
            ? null
            : { created_at: isoTime(factor.created_at), recovery_codes_left: codesLeft },
      };
    },

    /** Throws `confirmation-needed`, `sign-in-provider-not-found`, and `last-sign-in-method` for the only way that is left. */
    async removeIdentity(visitor: Visitor, providerId: string, from: RequestSource): Promise<void> {
      await requireRecent(visitor);
      const actor = { id: visitor.userId, address: from.address };
      await db.write(async (tx) => {
        const account = (await lockUsers(tx, [actor.id])).get(actor.id);
        if (account === undefined || !(await deleteIdentity(tx, actor.id, providerId)))
          throw new AppError("sign-in-provider-not-found");
        await requireSignInMethod(tx, account, here);
        // The provider may later give the address to another person, who must not get this account.
        await changeUser(tx, actor.id, { email_verified_at: null });
        const nowMs = clock.now();
        await claimedGroups.follow(tx, { userId: actor.id, providerId, values: [] }, actor, nowMs);
        const details = { provider: providerId };
        await recordAudit(tx, { action: "identity-removed", actor, details }, nowMs);
      });
    },

    /** Throws `confirmation-needed`, `proxy-identity-not-found`, and `last-sign-in-method` for the only way that is left. */
    async removeProxyIdentity(visitor: Visitor, from: RequestSource): Promise<void> {
      await requireRecent(visitor);
      const { userId } = visitor;
      await db.write(async (tx) => {
        const account = (await lockUsers(tx, [userId])).get(userId);
        const actor = { id: userId, address: from.address };
        await disconnectProxy(tx, userId, actor, clock.now(), visitor.credentialId);
        await requireSignInMethod(tx, account!, here);
      });
    },
  };
}

/** With the account locked: throws `last-sign-in-method` if nothing is left to sign in with here. */
export async function requireSignInMethod(
  tx: Tx,
  { id, password_hash: hash }: AccountRow,
  { host, hasProxy }: SignInHere,
): Promise<void> {
  if (hash !== null) return;
  if (hasProxy && (await findProxyIdentityOf(tx.q, id)) !== undefined) return;
  const identities = await listIdentities(tx.q, id);
  if (identities.length === 0 && !(await hasPasskeyAt(tx.q, id, host)))
    throw new AppError("last-sign-in-method");
}
