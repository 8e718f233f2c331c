import { emailKey } from "#contract/accounts/email.ts";
import type { Database } from "#storage/database/database.ts";
import { recordAudit } from "#server/audit/audit.ts";
import { AppError } from "#server/lib/errors.ts";
import type { ProxyPerson } from "#server/lib/route.ts";
import { asEmailTaken, type RequestSource } from "#server/people/accounts/account-session.ts";
import type { EnterAccount } from "#server/people/accounts/enter-account.ts";
import type { Join } from "#server/people/accounts/join.ts";
import { findAccount } from "#server/people/accounts/rows.ts";
import type { OpenSession, Sessions } from "../sessions.ts";
import * as rows from "./rows.ts";

/**
 * Signs in the person named in the headers of a trusted proxy. Without a `session` an administrator has to approve the
 * account. Throws `proxy-not-trusted` if no such proxy sent the request, `proxy-account-exists`, `account-suspended`,
 * `approval-pending`, and what `Join` throws.
 */
export type ProxySignIn = (
  person: ProxyPerson | undefined,
  from: RequestSource,
) => Promise<{ session: OpenSession | undefined }>;

export function createProxySignIn({
  db,
  sessions,
  enter,
  join,
  connectsAccounts,
}: {
  db: Database;
  sessions: Sessions;
  enter: EnterAccount;
  join: Join;
  /** Whether the proxy also signs in to accounts that it has not created. */
  connectsAccounts: boolean;
}): ProxySignIn {
  async function enterKnown(subject: string, userId: string, from: RequestSource) {
    const session = await enter(userId, from, {
      method: "proxy",
      confirm: async (tx, account, nowMs) => {
        // It can have been removed since.
        if ((await rows.findProxyIdentity(tx.q, subject))?.user_id !== account.id)
          throw new AppError("proxy-account-exists");
        await rows.touchProxyIdentity(tx, subject, nowMs);
      },
    });
    return { session };
  }

  /**
   * Connects the account with the same address. A member can give their account somebody else's address, and would share
   * it with them: so the address has to be verified, or the browser to be signed in to the account. For an owner's, only
   * the latter counts, as with every other provider: what an owner has disconnected stays so.
   */
  async function connect(subject: string, userId: string, from: RequestSource) {
    if (!connectsAccounts) throw new AppError("proxy-account-exists");
    const visitor = await sessions.findByToken("cookie", from.sessionToken);
    const session = await enter(userId, from, {
      method: "proxy",
      confirm: async (tx, account, nowMs) => {
        const isProved =
          visitor?.userId === account.id || (account.is_owner === 0 && account.email_verified_at !== null);
        // The address can have been changed since, and each account has one identity.
        if (account.email_key !== subject || !isProved) throw new AppError("proxy-account-exists");
        await rows.deleteProxyIdentityOf(tx, account.id);
        await rows.insertProxyIdentity(tx, subject, account.id, nowMs);
        const actor = { id: account.id, address: from.address };
        await recordAudit(tx, { action: "identity-connected", actor, details: { provider: "proxy" } }, nowMs);
      },
    });
    return { session };
  }

  return async (person, from) => {
    if (person === undefined) throw new AppError("proxy-not-trusted");
    const subject = emailKey(person.email);
    const known = await rows.findProxyIdentity(db.read, subject);
    if (known !== undefined) return await enterKnown(subject, known.user_id, from);
    const account = await findAccount(db.read, { emailKey: subject });
    if (account !== undefined && account.joined_at !== null) return await connect(subject, account.id, from);
    const request = { name: person.name ?? person.email, email: person.email, isEmailVerified: true };
    const entitlement = await join.entitlementOf(request, from);
    return await join
      .create(request, entitlement, from, {
        method: "proxy",
        store: async (tx, userId, nowMs) => await rows.insertProxyIdentity(tx, subject, userId, nowMs),
      })
      .catch(asEmailTaken);
  };
}
