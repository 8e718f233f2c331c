import { emailKey } from "#contract/accounts/email.ts";
import type { SignInOptions } from "#contract/endpoints/accounts.ts";
import type { Me } from "#contract/endpoints/auth.ts";
import { limits } from "#contract/limits.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { recordAudit } from "#server/audit/audit.ts";
import type { SteadyClock } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import { createRateLimiter } from "#server/lib/rate-limit.ts";
import type { Visitor } from "#server/lib/route.ts";
import { hashOf } from "../secrets.ts";
import type { OpenSession, Sessions } from "../sessions.ts";
import { revokeSessionsOf } from "../rows.ts";
import { presentMe } from "./me.ts";
import type { PasswordHasher } from "./password-hash.ts";
import type { PolicyStore } from "./policy.ts";
import * as rows from "./rows.ts";
import { asEmailTaken, sessionUserOf, type RequestSource } from "./account-session.ts";

/** Moves everything that a guest has to the account that they sign in to. The rows of both users are locked. */
export type Adopt = (tx: Tx, guest: Visitor, account: Visitor) => Promise<unknown>;

/** How people with an account sign in and change it. */
export type Accounts = {
  options(): Promise<SignInOptions>;
  /**
   * Signs in, and moves the threads and files of the guest of `sessionToken` to the account, once. Throws
   * `wrong-password`, also for unknown addresses, and `account-suspended`, `approval-pending`, `rate-limited` and
   * `server-busy`.
   */
  signIn(given: { email: string; password: string }, from: RequestSource): Promise<OpenSession>;
  /** Sets a password with the token of a link, ends all sessions and opens a new one. Throws `reset-link-invalid`. */
  resetPassword(given: { token: string; password: string }, from: RequestSource): Promise<OpenSession>;
  /** Ends the other sessions. Throws `wrong-password` and `no-account`. */
  changePassword(
    visitor: Visitor,
    given: { current_password: string; password: string },
    from: RequestSource,
  ): Promise<void>;
  /** Throws `wrong-password`, `no-account` and `email-taken`. */
  update(
    visitor: Visitor,
    given: { name?: string | undefined; email?: string | undefined; password?: string | undefined },
    from: RequestSource,
  ): Promise<Me>;
};

export function createAccounts(options: {
  db: Database;
  clock: SteadyClock;
  sessions: Sessions;
  policy: PolicyStore;
  hasher: PasswordHasher;
  adopt: Adopt;
}): Accounts {
  const { db, clock, sessions, policy, hasher, adopt } = options;
  const seconds = limits.passwordTriesSeconds;
  const perAddress = createRateLimiter({ clock, points: limits.passwordTriesPerAddress, seconds });
  const perAccount = createRateLimiter({ clock, points: limits.passwordTriesPerAccount, seconds });

  /** The account, if this is its password. Throws `wrong-password` and `rate-limited`. */
  async function verify(
    account: rows.AccountRow | undefined,
    password: string,
    tries: { account: string; address: string },
  ): Promise<rows.AccountRow> {
    perAddress.spend(`${tries.address} ${tries.account}`);
    perAccount.spend(tries.account);
    const isRight = await hasher.verify(password, account?.password_hash ?? undefined);
    if (account === undefined || !isRight) throw new AppError("wrong-password");
    return account;
  }

  /** The visitor's account with its password. Throws `no-account`. */
  async function ownAccount({ userId }: Visitor): Promise<rows.AccountRow> {
    const account = await rows.findAccount(db.read, { id: userId });
    if (account === undefined || account.password_hash === null) throw new AppError("no-account");
    return account;
  }

  /** Locks the account. Throws `wrong-password` if its password was changed since it was verified. */
  function sinceVerified(locked: rows.AccountRow | undefined, verified: rows.AccountRow): rows.AccountRow {
    if (locked === undefined || locked.password_hash !== verified.password_hash)
      throw new AppError("wrong-password");
    return locked;
  }

  /** Ends the session that the browser had, after moving what its guest has to the account. */
  async function replaceSession(
    tx: Tx,
    former: Visitor | undefined,
    account: Visitor,
    locked: rows.AccountRow | undefined,
  ) {
    if (former === undefined) return;
    const nowMs = clock.now();
    if (former.userId === account.userId || locked === undefined || locked.kind !== "anonymous") {
      await revokeSessionsOf(tx, former.userId, { id: former.credentialId }, nowMs);
      return;
    }
    // Another tab may have done it already.
    if (locked.merged_into === null) await adopt(tx, former, account);
    await rows.changeUser(tx, former.userId, { merged_into: account.userId, email: null, email_key: null });
    await rows.deletePassword(tx, former.userId);
    await rows.deleteJoinRequest(tx, former.userId);
    await revokeSessionsOf(tx, former.userId, "all", nowMs);
  }

  return {
    async options() {
      const [{ joining, guests }, hasAccounts] = await Promise.all([policy.get(), rows.hasAccounts(db.read)]);
      return { has_accounts: hasAccounts, joining, guests };
    },

    async signIn({ email, password }, from) {
      const key = emailKey(email);
      const tries = { account: key, address: from.address };
      const verified = await verify(await rows.findAccount(db.read, { emailKey: key }), password, tries);
      if (verified.disabled_at !== null) throw new AppError("account-suspended");
      if (verified.joined_at === null) throw new AppError("approval-pending");
      const former = await sessions.findByToken("cookie", from.sessionToken);
      return await db.write(async (tx) => {
        const locked = await rows.lockUsers(tx, [
          verified.id,
          ...(former === undefined ? [] : [former.userId]),
        ]);
        const account = sinceVerified(locked.get(verified.id), verified);
        if (account.disabled_at !== null) throw new AppError("account-suspended");
        const opened = await sessions.openIn(tx, sessionUserOf(account), { ...from, method: "password" });
        await replaceSession(tx, former, opened.visitor, former && locked.get(former.userId));
        const actor = { id: account.id, address: from.address };
        await recordAudit(tx, { action: "signed-in", actor, details: { method: "password" } }, clock.now());
        return opened;
      });
    },

    async resetPassword({ token, password }, from) {
      const tokenHash = hashOf(token);
      // Before the password is hashed, which is expensive.
      if ((await rows.findUsableToken(db.read, tokenHash, clock.now())) === undefined)
        throw new AppError("reset-link-invalid");
      const hash = await hasher.hash(password);
      return await db.write(async (tx) => {
        const nowMs = clock.now();
        const found = await rows.findUsableToken(tx.q, tokenHash, nowMs);
        const account =
          found === undefined ? undefined : (await rows.lockUsers(tx, [found.user_id])).get(found.user_id);
        // Read again under the lock: another request may have used the link meanwhile.
        const isUsable = (await rows.findUsableToken(tx.q, tokenHash, nowMs)) !== undefined;
        if (account === undefined || !isUsable) throw new AppError("reset-link-invalid");
        if (account.disabled_at !== null) throw new AppError("account-suspended");
        await rows.putPassword(tx, account.id, hash, nowMs);
        await rows.endTokensOf(tx, account.id, nowMs);
        await revokeSessionsOf(tx, account.id, "all", nowMs);
        const actor = { id: account.id, address: from.address };
        await recordAudit(tx, { action: "password-reset", actor }, nowMs);
        return await sessions.openIn(tx, sessionUserOf(account), { ...from, method: "reset-link" });
      });
    },

    async changePassword(visitor, given, from) {
      const tries = { account: visitor.userId, address: from.address };
      const verified = await verify(await ownAccount(visitor), given.current_password, tries);
      const hash = await hasher.hash(given.password);
      await db.write(async (tx) => {
        const nowMs = clock.now();
        const { id } = sinceVerified((await rows.lockUsers(tx, [verified.id])).get(verified.id), verified);
        await rows.putPassword(tx, id, hash, nowMs);
        await rows.endTokensOf(tx, id, nowMs);
        await revokeSessionsOf(tx, id, { exceptId: visitor.credentialId }, nowMs);
        await recordAudit(tx, { action: "password-changed", actor: { id, address: from.address } }, nowMs);
      });
    },

    async update(visitor, { name, email, password }, from) {
      const account = await ownAccount(visitor);
      const isNewEmail = email !== undefined && emailKey(email) !== account.email_key;
      if (isNewEmail)
        await verify(account, password ?? "", { account: visitor.userId, address: from.address });
      const change = {
        ...(name === undefined ? {} : { name: name.trim() }),
        ...(email === undefined ? {} : { email: email.trim(), email_key: emailKey(email) }),
        ...(isNewEmail ? { email_verified_at: null } : {}),
      };
      const changed = Object.keys(change).filter((field) => field === "name" || field === "email");
      if (changed.length > 0)
        await db
          .write(async (tx) => {
            sinceVerified((await rows.lockUsers(tx, [account.id])).get(account.id), account);
            await rows.changeUser(tx, account.id, change);
            const actor = { id: account.id, address: from.address };
            await recordAudit(
              tx,
              { action: "account-changed", actor, details: { fields: changed } },
              clock.now(),
            );
          })
          .catch(asEmailTaken);
      return await presentMe(db, visitor);
    },
  };
}
