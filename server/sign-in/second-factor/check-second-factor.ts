import type { Database, Tx } from "#storage/database/database.ts";
import type { Clock } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import type { Attempt, Attempts, StartedAttempt } from "../attempts/attempts.ts";
import type { KnownBrowsers } from "../attempts/known-browsers.ts";
import { counterOf, hashOfRecoveryCode, isTotpCode, plainCode } from "./codes.ts";
import * as rows from "./rows.ts";
import { secretOf, type SecondFactorVault } from "./second-factor-vault.ts";

/** The code that somebody sent for an account, and from where. */
type GivenCode = {
  userId: string;
  code: string | undefined;
  address: string;
  browserToken?: string | undefined;
  /** Whether a link to set a new password was opened. */
  isWithLink?: boolean;
  /** Whether the person is signed in to the account. */
  isSignedIn?: boolean;
};

/** Checks codes of accounts with a second factor. */
export type SecondFactorCheck = {
  /**
   * Counts the code as wrong until `check` accepts it in `work`, which gets what was counted: outside of the transaction of
   * `work`, which a wrong code rolls back. Throws `too-many-attempts`, and what `work` throws.
   */
  try<T>(given: GivenCode, work: (started: StartedAttempt | undefined) => Promise<T>): Promise<T>;
  /**
   * In a transaction with the account locked, with what `try` passed on: makes the code unusable. Returns what was used; `undefined`
   * if the account has no second factor. Throws `second-factor-needed` without a code, and `wrong-code`.
   */
  check(
    tx: Tx,
    given: GivenCode,
    started: StartedAttempt | undefined,
  ): Promise<"code" | "recovery-code" | undefined>;
};

export function createSecondFactorCheck(options: {
  db: Database;
  clock: Clock;
  vault: SecondFactorVault;
  attempts: Attempts;
  browsers: KnownBrowsers;
}): SecondFactorCheck {
  const { db, clock, vault, attempts, browsers } = options;

  function proofOf({ userId, browserToken, isWithLink = false }: GivenCode): string | undefined {
    if (isWithLink) return "reset link";
    const browser = browsers.nameOf(browserToken, userId);
    return browser === undefined ? undefined : `browser ${browser}`;
  }

  async function acceptTotp(tx: Tx, factor: rows.SecondFactorRow, plain: string): Promise<boolean> {
    const secret = secretOf(vault, factor);
    const counter = secret === undefined ? undefined : counterOf(secret, plain, clock.now());
    // Each code can be used once, and none that is older than the last one.
    if (counter === undefined || counter <= factor.last_counter) return false;
    await rows.setLastCounter(tx, factor.user_id, counter);
    return true;
  }

  // Apart, so that wrong codes of somebody who knows the password do not keep the owner from using a recovery code.
  const attemptOf = (given: GivenCode, plain: string): Attempt => ({
    kind: isTotpCode(plain) ? "code" : "recovery-code",
    subject: given.userId,
    address: given.address,
    proof: proofOf(given),
    actorId: given.isSignedIn === true ? given.userId : undefined,
  });

  async function start(given: GivenCode): Promise<StartedAttempt | undefined> {
    if (given.code === undefined) return undefined;
    if ((await rows.findSecondFactor(db.read, given.userId)) === undefined) return undefined;
    return await attempts.start(attemptOf(given, plainCode(given.code)));
  }

  return {
    async try(given, work) {
      const started = await start(given);
      try {
        return await work(started);
      } catch (error) {
        const isWrong = error instanceof AppError && error.code === "wrong-code";
        if (isWrong && started !== undefined) await attempts.fail(started);
        throw error;
      }
    },

    async check(tx, given, started) {
      const factor = await rows.findSecondFactor(tx.q, given.userId);
      if (factor === undefined) return undefined;
      if (given.code === undefined) throw new AppError("second-factor-needed");
      const plain = plainCode(given.code);
      const isTotp = isTotpCode(plain);
      const isRight = isTotp
        ? await acceptTotp(tx, factor, plain)
        : await rows.deleteRecoveryCode(tx, given.userId, hashOfRecoveryCode(plain));
      if (!isRight) throw new AppError("wrong-code");
      // The account can have got its second factor since.
      if (started !== undefined) await attempts.succeed(tx, started);
      return isTotp ? "code" : "recovery-code";
    },
  };
}
