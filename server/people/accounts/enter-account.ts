import type { Database, Tx } from "#storage/database/database.ts";
import { recordAudit } from "#server/audit/audit.ts";
import type { Clock } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import type { Visitor } from "#server/lib/route.ts";
import { revokeSessionsOf } from "#server/sign-in/rows.ts";
import type { StartedAttempt } from "#server/sign-in/attempts/attempts.ts";
import type { SecondFactorCheck } from "#server/sign-in/second-factor/check-second-factor.ts";
import { needsSecondFactor } from "#server/sign-in/second-factor/methods.ts";
import type { OpenSession, SessionMethod, Sessions } from "#server/sign-in/sessions.ts";
import type { EmailConfirmations, Mailing } from "../mail/email-confirmations.ts";
import { sessionUserOf, type Adopt, type RequestSource } from "./account-session.ts";
import { forgetAccount } from "./forget-account.ts";
import * as rows from "./rows.ts";

/**
 * Opens a session of an account whose owner has just proved who they are, and ends the one that the browser had. Moves
 * what its guest has to the account, once. `confirm` runs in the same transaction with the account locked, and throws if
 * the proof no longer holds. A deletion that the person asked for is undone. If the account has a second factor and the
 * method does not count as two, `code` is checked. Throws `account-suspended`, `approval-pending`, `second-factor-needed`,
 * `wrong-code` and `too-many-attempts`; with `mailing`, `confirmation-sent` in place of `approval-pending` if it sent a
 * new link.
 */
export type EnterAccount = (
  userId: string,
  from: RequestSource,
  proof: {
    method: SessionMethod;
    /** The code of the account's second factor. */
    code?: string | undefined;
    /** The token of a link that lets somebody in who waits for an account. */
    confirmation?: string | undefined;
    /** How to send another such link. */
    mailing?: Mailing | undefined;
    details?: Record<string, string>;
    confirm?: (tx: Tx, account: rows.AccountRow, nowMs: number) => Promise<void>;
  },
) => Promise<OpenSession>;

export function createEnterAccount(options: {
  db: Database;
  clock: Clock;
  sessions: Sessions;
  adopt: Adopt;
  secondFactor: SecondFactorCheck;
  confirmations: EmailConfirmations;
}): EnterAccount {
  const { db, clock, sessions, adopt, secondFactor, confirmations } = options;

  /**
   * Ends the browser's former session. If that was a guest's, first moves the guest's content to the account, unless an
   * administrator is deleting the account.
   */
  async function replaceSession(
    tx: Tx,
    former: Visitor | undefined,
    account: Visitor,
    locked: rows.AccountRow | undefined,
    isLeaving: boolean,
  ) {
    if (former === undefined) return;
    const nowMs = clock.now();
    const isGuest = locked?.kind === "anonymous" && former.userId !== account.userId;
    if (!isGuest || isLeaving) {
      await revokeSessionsOf(tx, former.userId, { id: former.credentialId }, nowMs);
      return;
    }
    // Another tab may have moved the content already.
    if (locked.merged_into === null) await adopt(tx, former, account);
    await rows.changeUser(tx, former.userId, { merged_into: account.userId });
    await forgetAccount(tx, former.userId);
    await revokeSessionsOf(tx, former.userId, "all", nowMs);
  }

  const enter: EnterAccount = async (userId, from, { method, code, confirmation, details, confirm }) => {
    const former = await sessions.findByToken("cookie", from.sessionToken);
    // All links of an account count together: a person who reads its mail can request any number of them.
    const given = { userId, code, ...from, isWithLink: method === "reset-link" };
    const open = async (started?: StartedAttempt) =>
      await db.write(async (tx) => {
        const nowMs = clock.now();
        const locked = await rows.lockUsers(tx, [userId, ...(former === undefined ? [] : [former.userId])]);
        const found = locked.get(userId);
        // It can have been deleted since.
        if (found === undefined || found.disabled_at !== null) throw new AppError("account-suspended");
        const isWaiting = found.joined_at === null;
        if (isWaiting && confirmation === undefined) throw new AppError("approval-pending");
        const used = needsSecondFactor(method) ? await secondFactor.check(tx, given, started) : undefined;
        await confirm?.(tx, found, nowMs);
        const account = isWaiting ? await confirmations.admit(tx, found, confirmation!, from.address) : found;
        if (account.joined_at === null) throw new AppError("approval-pending");
        const actor = { id: account.id, address: from.address };
        if (account.deletion_due_at !== null && account.deletion_by === null) {
          await rows.changeUser(tx, account.id, { deletion_due_at: null });
          await recordAudit(tx, { action: "account-deletion-undone", actor }, nowMs);
        }
        const opened = await sessions.openIn(tx, sessionUserOf(account), { ...from, method });
        const formerUser = former && locked.get(former.userId);
        await replaceSession(tx, former, opened.visitor, formerUser, account.deletion_by !== null);
        const how = { method, ...(used === undefined ? {} : { second_factor: used }), ...details };
        await recordAudit(tx, { action: "signed-in", actor, details: how }, nowMs);
        return opened;
      });
    return needsSecondFactor(method) ? await secondFactor.try(given, open) : await open();
  };

  return async (userId, from, proof) => {
    try {
      return await enter(userId, from, proof);
    } catch (error) {
      const { mailing } = proof;
      const isWaiting = error instanceof AppError && error.code === "approval-pending";
      if (isWaiting && mailing !== undefined && (await confirmations.sendAgain(userId, mailing)))
        throw new AppError("confirmation-sent", { cause: error });
      throw error;
    }
  };
}
