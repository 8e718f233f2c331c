import { emailKey } from "#contract/accounts/email.ts";
import type { LanguageTag } from "#contract/i18n/languages.ts";
import type { SignInOptions } from "#contract/endpoints/accounts.ts";
import type { Me } from "#contract/endpoints/auth.ts";
import type { Database } from "#storage/database/database.ts";
import { recordAudit } from "#server/audit/audit.ts";
import type { Clock } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import type { Visitor } from "#server/lib/route.ts";
import type { Attempts } from "#server/sign-in/attempts/attempts.ts";
import type { KnownBrowsers } from "#server/sign-in/attempts/known-browsers.ts";
import { hashOf } from "#server/sign-in/secrets.ts";
import type { SecondFactorCheck } from "#server/sign-in/second-factor/check-second-factor.ts";
import type { OpenSession } from "#server/sign-in/sessions.ts";
import { revokeSessionsOf } from "#server/sign-in/rows.ts";
import type { PasswordHasher } from "./password-hash.ts";
import type { PolicyStore } from "./policy.ts";
import { confirmSession, type RequireRecentSignIn } from "#server/sign-in/recent-sign-in.ts";
import type { EnterAccount } from "./enter-account.ts";
import * as rows from "./rows.ts";
import { removeOtherMethods } from "./forget-account.ts";
import { asEmailTaken, type RequestSource } from "./account-session.ts";

/** How people with an account sign in and change it. */
export type Accounts = {
  options(): Promise<SignInOptions>;
  /**
   * Signs in, and moves the threads and files of the guest of `sessionToken` to the account, once. Throws
   * `wrong-password`, also for unknown addresses, and `second-factor-needed`, `wrong-code`, `account-suspended`,
   * `approval-pending`, `confirmation-sent`, `too-many-attempts` and `server-busy`.
   */
  signIn(
    given: {
      email: string;
      password: string;
      code?: string | undefined;
      confirmation?: string | undefined;
      language?: LanguageTag | undefined;
    },
    from: RequestSource,
    webUrl: string,
  ): Promise<OpenSession>;
  /**
   * Sets a password with the token of a link, ends all sessions and opens a new one. Throws `reset-link-invalid`, and for
   * an account with a second factor `second-factor-needed` and `wrong-code`.
   */
  resetPassword(
    given: {
      token: string;
      password: string;
      code?: string | undefined;
      removes_other_methods?: boolean | undefined;
    },
    from: RequestSource,
  ): Promise<OpenSession>;
  /**
   * Ends the other sessions. Throws `wrong-password` and `no-account`, and `confirmation-needed` for somebody without a
   * password whose sign-in is too long ago.
   */
  changePassword(
    visitor: Visitor,
    given: { current_password?: string | undefined; password: string },
    from: RequestSource,
  ): Promise<void>;
  /**
   * Lets the session change how its account is signed in to, for some minutes. Throws `wrong-password`, `no-account`,
   * `second-factor-needed` and `wrong-code`.
   */
  confirm(
    visitor: Visitor,
    given: { password: string; code?: string | undefined },
    from: RequestSource,
  ): Promise<void>;
  /** Throws `wrong-password`, `confirmation-needed`, `no-account` and `email-taken`. */
  update(
    visitor: Visitor,
    given: { name?: string | undefined; email?: string | undefined; password?: string | undefined },
    from: RequestSource,
  ): Promise<Me>;
};

export function createAccounts(options: {
  db: Database;
  clock: Clock;
  policy: PolicyStore;
  hasher: PasswordHasher;
  enter: EnterAccount;
  attempts: Attempts;
  browsers: KnownBrowsers;
  secondFactor: SecondFactorCheck;
  me: (visitor: Visitor) => Promise<Me>;
  requireRecent: RequireRecentSignIn;
  /** The providers that people can sign in with. */
  providers: () => Promise<SignInOptions["providers"]>;
  /** Whether e-mail can be sent. */
  mails: () => Promise<boolean>;
}): Accounts {
  const { db, clock, policy, hasher, enter, attempts, secondFactor, me, requireRecent } = options;

  /**
   * Returns the account if the password is right. Attempts for unknown addresses are limited too: `unknown` is the address
   * that was typed, given if the caller is not signed in. Throws `wrong-password`, `too-many-attempts` and `server-busy`.
   */
  async function verifyPassword(
    account: rows.AccountRow | undefined,
    password: string,
    {
      address,
      browserToken,
      unknown,
    }: Pick<RequestSource, "address" | "browserToken"> & { unknown?: string },
  ): Promise<rows.AccountRow> {
    const subject = account?.id ?? `unknown ${unknown ?? ""}`;
    const actorId = unknown === undefined ? account?.id : undefined;
    const browser = account === undefined ? undefined : options.browsers.nameOf(browserToken, account.id);
    const proof = browser === undefined ? undefined : `browser ${browser}`;
    const isRight = await attempts.try(
      { kind: "password", subject, address, actorId, proof },
      async () => await hasher.verify(password, account?.password_hash ?? undefined),
    );
    if (account === undefined || !isRight) throw new AppError("wrong-password");
    return account;
  }

  /** Throws `no-account`. */
  async function ownAccount({ userId }: Visitor): Promise<rows.AccountRow> {
    const account = await rows.findAccount(db.read, { id: userId });
    if (account === undefined || account.joined_at === null) throw new AppError("no-account");
    return account;
  }

  /** The person's account, after a proof of who they are: the password, or a recent sign-in if there is none. */
  async function accountWithProof(
    visitor: Visitor,
    givenPassword: string | undefined,
    from: RequestSource,
  ): Promise<rows.AccountRow> {
    const account = await ownAccount(visitor);
    if (account.password_hash !== null) return await verifyPassword(account, givenPassword ?? "", from);
    await requireRecent(visitor);
    return account;
  }

  /** Returns the locked account. Throws `wrong-password` if its password was changed since the verification. */
  function requireUnchanged(locked: rows.AccountRow | undefined, verified: rows.AccountRow): rows.AccountRow {
    if (locked === undefined || locked.password_hash !== verified.password_hash)
      throw new AppError("wrong-password");
    return locked;
  }

  return {
    async options() {
      const [{ joining, guests, emailDomains }, hasAccounts, providers, mails] = await Promise.all([
        policy.get(),
        rows.hasAccounts(db.read),
        options.providers(),
        options.mails(),
      ]);
      return {
        has_accounts: hasAccounts,
        joining,
        has_domains: emailDomains.length > 0,
        guests,
        mails,
        providers,
      };
    },

    async signIn({ email, password, code, confirmation, language = "en" }, from, webUrl) {
      const key = emailKey(email);
      const account = await rows.findAccount(db.read, { emailKey: key });
      const verified = await verifyPassword(account, password, { ...from, unknown: key });
      return await enter(verified.id, from, {
        method: "password",
        code,
        confirmation,
        mailing: { language, webUrl },
        confirm: async (_tx, account) => void requireUnchanged(account, verified),
      });
    },

    async resetPassword({ token, password, code, removes_other_methods: removesOthers = false }, from) {
      const tokenHash = hashOf(token);
      // Before the password is hashed, which is expensive.
      const link = await rows.findUsableToken(db.read, "reset", tokenHash, clock.now());
      if (link === undefined) throw new AppError("reset-link-invalid");
      const hash = await hasher.hash(password);
      return await enter(link.user_id, from, {
        method: "reset-link",
        code,
        confirm: async (tx, account, nowMs) => {
          // Another request may have used the link meanwhile.
          if ((await rows.findUsableToken(tx.q, "reset", tokenHash, nowMs)) === undefined)
            throw new AppError("reset-link-invalid");
          await rows.putPassword(tx, account.id, hash, nowMs);
          await rows.endTokensOf(tx, account.id, nowMs);
          await revokeSessionsOf(tx, account.id, "all", nowMs);
          const actor = { id: account.id, address: from.address };
          if (removesOthers) await removeOtherMethods(tx, account.id);
          const details = { details: { other_methods: "removed" } };
          await recordAudit(
            tx,
            { action: "password-reset", actor, ...(removesOthers ? details : {}) },
            nowMs,
          );
        },
      });
    },

    async changePassword(visitor, given, from) {
      const verified = await accountWithProof(visitor, given.current_password, from);
      const hash = await hasher.hash(given.password);
      await db.write(async (tx) => {
        const nowMs = clock.now();
        const { id } = requireUnchanged((await rows.lockUsers(tx, [verified.id])).get(verified.id), verified);
        await rows.putPassword(tx, id, hash, nowMs);
        await rows.endTokensOf(tx, id, nowMs);
        await revokeSessionsOf(tx, id, { exceptId: visitor.credentialId }, nowMs);
        await recordAudit(tx, { action: "password-changed", actor: { id, address: from.address } }, nowMs);
      });
    },

    async confirm(visitor, { password, code }, from) {
      await verifyPassword(await ownAccount(visitor), password, from);
      const given = { userId: visitor.userId, code, ...from, isSignedIn: true };
      await secondFactor.try(
        given,
        async (started) =>
          await db.write(async (tx) => {
            await rows.lockUsers(tx, [visitor.userId]);
            await secondFactor.check(tx, given, started);
            await confirmSession(tx, visitor, clock.now());
          }),
      );
    },

    async update(visitor, { name, email, password }, from) {
      const account = await ownAccount(visitor);
      const isNewEmail = email !== undefined && emailKey(email) !== account.email_key;
      if (isNewEmail) await accountWithProof(visitor, password, from);
      const change = {
        ...(name === undefined ? {} : { name: name.trim() }),
        ...(email === undefined ? {} : { email: email.trim(), email_key: emailKey(email) }),
        ...(isNewEmail ? { email_verified_at: null } : {}),
      };
      const changed = Object.keys(change).filter((field) => field === "name" || field === "email");
      if (changed.length > 0)
        await db
          .write(async (tx) => {
            requireUnchanged((await rows.lockUsers(tx, [account.id])).get(account.id), account);
            const nowMs = clock.now();
            await rows.changeUser(tx, account.id, change);
            // They went to the former address.
            if (isNewEmail) await rows.endTokensOf(tx, account.id, nowMs);
            const actor = { id: account.id, address: from.address };
            await recordAudit(tx, { action: "account-changed", actor, details: { fields: changed } }, nowMs);
          })
          .catch(asEmailTaken);
      return await me(visitor);
    },
  };
}
