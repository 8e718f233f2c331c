import type { ResponseOf } from "#contract/api.ts";
import { limits } from "#contract/limits.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { recordAudit, type Actor } from "#server/audit/audit.ts";
import type { Clock } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import type { Visitor } from "#server/lib/route.ts";
import type { RequestSource } from "#server/people/accounts/account-session.ts";
import type { RequireRecentSignIn } from "../recent-sign-in.ts";
import { findAccount, lockUsers } from "#server/people/accounts/rows.ts";
import { revokeSessionsOf } from "../rows.ts";
import {
  counterOf,
  hashOfRecoveryCode,
  isTotpCode,
  newRecoveryCodes,
  newTotpSecret,
  plainCode,
  totpUri,
} from "./codes.ts";
import * as rows from "./rows.ts";
import type { SecondFactorVault } from "./second-factor-vault.ts";

/** How people set up a second factor, and remove it. All functions throw `confirmation-needed`. */
export type SecondFactors = ReturnType<typeof createSecondFactors>;

export function createSecondFactors(options: {
  db: Database;
  clock: Clock;
  vault: SecondFactorVault;
  requireRecent: RequireRecentSignIn;
  /** Whether secrets can be stored: throws `secret-not-set` otherwise. */
  mayStoreSecrets: boolean;
}) {
  const { db, clock, vault, requireRecent, mayStoreSecrets } = options;

  /** Only the same person can finish what they began: in any session, as confirming with a passkey opens a new one. */
  const contextOf = ({ userId }: Visitor) => `setup of ${userId}`;

  function secretOfSetup(visitor: Visitor, setup: string): string {
    const [keyId = "", ciphertext = ""] = setup.split(".");
    const [secret, expiresAt] = vault.decrypt({ keyId, ciphertext }, contextOf(visitor))?.split(" ") ?? [];
    if (secret === undefined || Number(expiresAt) <= clock.now()) throw new AppError("sign-in-expired");
    return secret;
  }

  async function writeCodes(tx: Tx, userId: string): Promise<string[]> {
    const codes = newRecoveryCodes();
    await rows.replaceRecoveryCodes(tx, userId, codes.map(hashOfRecoveryCode));
    return codes;
  }

  const actorOf = ({ userId }: Visitor, { address }: RequestSource): Actor => ({ id: userId, address });

  return {
    /**
     * A new secret. Nothing is stored until a code of it has been entered. Throws `no-account`, `second-factor-exists` and
     * `secret-not-set`.
     */
    async start(visitor: Visitor, webUrl: string): Promise<ResponseOf<"accounts.startSecondFactor">> {
      if (!mayStoreSecrets) throw new AppError("secret-not-set");
      const account = await findAccount(db.read, { id: visitor.userId });
      if (account === undefined || account.joined_at === null) throw new AppError("no-account");
      await requireRecent(visitor);
      if ((await rows.findSecondFactor(db.read, account.id)) !== undefined)
        throw new AppError("second-factor-exists");
      const secret = newTotpSecret();
      const issuer = `Parlance (${new URL(webUrl).hostname})`;
      const expiresAt = clock.now() + limits.secondFactorSetupMs;
      const { keyId, ciphertext } = vault.encrypt(`${secret} ${expiresAt}`, contextOf(visitor));
      return {
        secret,
        uri: totpUri(secret, { issuer, label: account.email ?? account.name ?? account.id }),
        setup: `${keyId}.${ciphertext}`,
      };
    },

    /** Ends the other sessions, and returns the recovery codes. Throws `sign-in-expired`, `wrong-code` and `second-factor-exists`. */
    async add(
      visitor: Visitor,
      given: { setup: string; code: string },
      from: RequestSource,
    ): Promise<string[]> {
      await requireRecent(visitor);
      const secret = secretOfSetup(visitor, given.setup);
      const plain = plainCode(given.code);
      const nowMs = clock.now();
      const counter = isTotpCode(plain) ? counterOf(secret, plain, nowMs) : undefined;
      if (counter === undefined) throw new AppError("wrong-code");
      return await db.write(async (tx) => {
        const { userId } = visitor;
        const account = (await lockUsers(tx, [userId])).get(userId);
        if (account === undefined || account.joined_at === null) throw new AppError("no-account");
        if ((await rows.findSecondFactor(tx.q, userId)) !== undefined)
          throw new AppError("second-factor-exists");
        const factor = { user_id: userId, last_counter: counter, created_at: nowMs };
        await rows.insertSecondFactor(tx, factor, vault.encrypt(secret, userId));
        // The password alone opened them.
        await revokeSessionsOf(tx, userId, { exceptId: visitor.credentialId }, nowMs);
        await recordAudit(tx, { action: "second-factor-added", actor: actorOf(visitor, from) }, nowMs);
        return await writeCodes(tx, userId);
      });
    },

    /** New recovery codes, which replace the others. Throws `second-factor-not-found`. */
    async renewRecoveryCodes(visitor: Visitor, from: RequestSource): Promise<string[]> {
      await requireRecent(visitor);
      return await db.write(async (tx) => {
        const { userId } = visitor;
        await lockUsers(tx, [userId]);
        if ((await rows.findSecondFactor(tx.q, userId)) === undefined)
          throw new AppError("second-factor-not-found");
        await recordAudit(
          tx,
          { action: "recovery-codes-created", actor: actorOf(visitor, from) },
          clock.now(),
        );
        return await writeCodes(tx, userId);
      });
    },

    /** Throws `second-factor-not-found`. */
    async remove(visitor: Visitor, from: RequestSource): Promise<void> {
      await requireRecent(visitor);
      await db.write(async (tx) => {
        await lockUsers(tx, [visitor.userId]);
        if (!(await rows.deleteSecondFactor(tx, visitor.userId)))
          throw new AppError("second-factor-not-found");
        await recordAudit(
          tx,
          { action: "second-factor-removed", actor: actorOf(visitor, from) },
          clock.now(),
        );
      });
    },
  };
}

/** With the user locked: removes the second factor of somebody who has lost it. Returns whether there was one. */
export async function resetSecondFactor(
  tx: Tx,
  userId: string,
  actor: Actor,
  nowMs: number,
): Promise<boolean> {
  const wasThere = await rows.deleteSecondFactor(tx, userId);
  if (wasThere) await recordAudit(tx, { action: "second-factor-reset", actor, target: userId }, nowMs);
  return wasThere;
}
