import type { BodyOf } from "#contract/api.ts";
import { emailKey } from "#contract/accounts/email.ts";
import type { NewPasskey, Passkey } from "#contract/endpoints/passkeys.ts";
import { newId } from "#contract/ids.ts";
import type { JsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { cleanText } from "#contract/text.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { isUniqueViolation } from "#storage/database/portable-sql.ts";
import { recordAudit } from "#server/audit/audit.ts";
import type { Clock } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import type { Visitor } from "#server/lib/route.ts";
import type { RequestSource } from "#server/people/accounts/account-session.ts";
import type { EnterAccount } from "#server/people/accounts/enter-account.ts";
import type { Join } from "#server/people/accounts/join.ts";
import type { RequireRecentSignIn } from "../recent-sign-in.ts";
import { findAccount, lockUsers, type AccountRow } from "#server/people/accounts/rows.ts";
import { requireSignInMethod, type SignInHere } from "#server/people/accounts/sign-in-methods.ts";
import { hashOf } from "../secrets.ts";
import type { OpenSession } from "../sessions.ts";
import type { Ceremonies, CreatedPasskey } from "./ceremonies.ts";
import { presentPasskey } from "./present.ts";
import * as rows from "./rows.ts";

/** How people sign in with passkeys, and which ones they have. */
export type Passkeys = ReturnType<typeof createPasskeys>;

export function createPasskeys(options: {
  db: Database;
  clock: Clock;
  ceremonies: Ceremonies;
  enter: EnterAccount;
  join: Join;
  requireRecent: RequireRecentSignIn;
  here: SignInHere;
}) {
  const { db, clock, ceremonies, enter, join, requireRecent, here } = options;

  /** The account of somebody who may change how they sign in. Throws `no-account` and `confirmation-needed`. */
  async function confirmedAccount(visitor: Visitor): Promise<AccountRow & { email: string }> {
    const account = await findAccount(db.read, { id: visitor.userId });
    if (account === undefined || account.joined_at === null || account.email === null)
      throw new AppError("no-account");
    await requireRecent(visitor);
    return { ...account, email: account.email };
  }

  return {
    /** Throws `passkeys-not-here`. */
    startSignIn: async (webUrl: string): Promise<JsonObject> => await ceremonies.signInOptions(webUrl),

    /**
     * Throws `passkeys-not-here`, `sign-in-expired`, `passkey-refused`, `account-suspended`, `approval-pending` and
     * `confirmation-sent`.
     */
    async signIn(
      { credential, confirmation, language = "en" }: BodyOf<"accounts.passkeySignIn">,
      from: RequestSource,
      webUrl: string,
    ): Promise<OpenSession> {
      const passkey = await ceremonies.verifyProof(credential, webUrl);
      return await enter(passkey.user_id, from, {
        method: "passkey",
        confirmation,
        mailing: { language, webUrl },
        confirm: async (tx, account, nowMs) => {
          // It can have been removed since.
          const now = await rows.findPasskey(tx.q, passkey.credential_id);
          if (now?.user_id !== account.id) throw new AppError("passkey-refused");
          // Another sign-in may have used the counter meanwhile. Authenticators that do not count send 0.
          if (now.counter > 0 && passkey.counter <= now.counter) throw new AppError("passkey-refused");
          await rows.touchPasskey(tx, passkey, nowMs);
        },
      });
    },

    /**
     * Throws `passkeys-not-here`, `email-taken`, and what `Join.entitlementOf` throws: somebody who cannot join must not be
     * left with a passkey of no account.
     */
    async startSignUp(
      { owner_secret: ownerSecret, invitation, ...person }: BodyOf<"accounts.startPasskeySignUp">,
      from: RequestSource,
      webUrl: string,
    ): Promise<JsonObject> {
      ceremonies.requirePossible(webUrl);
      const invitationHash = invitation === undefined ? undefined : hashOf(invitation);
      await join.entitlementOf({ ...person, isEmailVerified: false, ownerSecret, invitationHash }, from);
      if ((await findAccount(db.read, { emailKey: emailKey(person.email) })) !== undefined)
        throw new AppError("email-taken");
      return await ceremonies.creationOptions({ purpose: "sign-up" }, person, [], webUrl);
    },

    /** Throws `no-account`, `confirmation-needed`, `passkeys-not-here` and `too-many-passkeys`. */
    async startAdding(visitor: Visitor, webUrl: string): Promise<JsonObject> {
      const { id, name, email } = await confirmedAccount(visitor);
      const existing = await rows.ownedPasskeys.list(db.read, id);
      requireRoom(existing);
      return await ceremonies.creationOptions(
        { purpose: "add", userId: id },
        { name: name ?? email, email },
        existing,
        webUrl,
      );
    },

    /** Throws the same, `sign-in-expired` and `passkey-refused`. */
    async add(
      visitor: Visitor,
      { name, credential }: { name: string; credential: NewPasskey },
      from: RequestSource,
      webUrl: string,
    ): Promise<Passkey> {
      const { id: userId } = await confirmedAccount(visitor);
      const created = await ceremonies.verifyCreated({ purpose: "add", userId }, credential, webUrl);
      return await db.write(async (tx) => {
        const nowMs = clock.now();
        await lockUsers(tx, [userId]);
        requireRoom(await rows.ownedPasskeys.list(tx.q, userId));
        const row = await storePasskey(tx, userId, created, name, nowMs);
        const actor = { id: userId, address: from.address };
        await recordAudit(tx, { action: "passkey-added", actor, target: row.id }, nowMs);
        return presentPasskey(row);
      });
    },

    /** Throws `confirmation-needed`, `passkey-not-found` and `last-sign-in-method`. */
    async remove(visitor: Visitor, id: string, from: RequestSource): Promise<void> {
      await requireRecent(visitor);
      await db.write(async (tx) => {
        const account = (await lockUsers(tx, [visitor.userId])).get(visitor.userId);
        if (account === undefined || !(await rows.ownedPasskeys.remove(tx, account.id, id)))
          throw new AppError("passkey-not-found");
        await requireSignInMethod(tx, account, here);
        const actor = { id: account.id, address: from.address };
        await recordAudit(tx, { action: "passkey-removed", actor, target: id }, clock.now());
      });
    },
  };
}

/** Stores a passkey of an account. Throws `passkey-refused` if somebody has it. */
export async function storePasskey(
  tx: Tx,
  userId: string,
  created: CreatedPasskey,
  name: string,
  nowMs: number,
): Promise<rows.PasskeyRow> {
  const row = {
    ...created,
    id: newId("passkey", nowMs),
    user_id: userId,
    name: cleanText(name).trim(),
    created_at: nowMs,
    last_used_at: null,
  };
  await rows.ownedPasskeys.insert(tx, row).catch((error: unknown) => {
    throw isUniqueViolation(error) ? new AppError("passkey-refused", { cause: error }) : error;
  });
  return row;
}

function requireRoom(existing: readonly rows.PasskeyRow[]): void {
  if (existing.length >= limits.passkeysMax) throw new AppError("too-many-passkeys");
}
