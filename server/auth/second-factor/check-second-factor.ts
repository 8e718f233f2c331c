import { limits } from "#contract/limits.ts";
import type { Tx } from "#storage/database/database.ts";
import type { SteadyClock } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import { createRateLimiter, type RateLimiter } from "#server/lib/rate-limit.ts";
import { counterOf, hashOfRecoveryCode, isTotpCode, plainCode } from "./codes.ts";
import * as rows from "./rows.ts";
import { secretOf, type SecondFactorVault } from "./vault.ts";

/**
 * Checks the code of an account with a second factor, in a transaction with the account locked, and makes it unusable.
 * Returns what was used; `undefined` if the account has no second factor. Throws `second-factor-needed` without a code,
 * and `wrong-code` and `rate-limited`.
 */
export type CheckSecondFactor = (
  tx: Tx,
  userId: string,
  code: string | undefined,
) => Promise<"code" | "recovery-code" | undefined>;

export function createCheckSecondFactor({
  clock,
  vault,
}: {
  clock: SteadyClock;
  vault: SecondFactorVault;
}): CheckSecondFactor {
  const seconds = limits.passwordTriesSeconds;
  // Apart, so that wrong codes of somebody who knows the password do not keep the owner from using a recovery code.
  const codeTries = createRateLimiter({ clock, points: limits.secondFactorTries, seconds });
  const recoveryTries = createRateLimiter({ clock, points: limits.secondFactorTries, seconds });

  async function acceptTotp(tx: Tx, factor: rows.SecondFactorRow, plain: string): Promise<boolean> {
    const secret = secretOf(vault, factor);
    const counter = secret === undefined ? undefined : counterOf(secret, plain, clock.now());
    // Each code can be used once, and none that is older than the last one.
    if (counter === undefined || counter <= factor.last_counter) return false;
    await rows.setLastCounter(tx, factor.user_id, counter);
    return true;
  }

  return async (tx, userId, code) => {
    const factor = await rows.findSecondFactor(tx.q, userId);
    if (factor === undefined) return undefined;
    if (code === undefined) throw new AppError("second-factor-needed");
    const plain = plainCode(code);
    const isTotp = isTotpCode(plain);
    const tries: RateLimiter = isTotp ? codeTries : recoveryTries;
    tries.spend(userId);
    const isRight = isTotp
      ? await acceptTotp(tx, factor, plain)
      : await rows.deleteRecoveryCode(tx, userId, hashOfRecoveryCode(plain));
    if (!isRight) throw new AppError("wrong-code");
    // Only wrong codes count.
    tries.spend(userId, -1);
    return isTotp ? "code" : "recovery-code";
  };
}
