import { limits } from "#contract/limits.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { sweep } from "#server/lib/batched-sweep.ts";
import type { Clock } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import { hashOf } from "../secrets.ts";
import * as rows from "./rows.ts";

/** What can be guessed. Each kind counts apart, so that a guesser of codes does not slow down recovery codes. */
export type AttemptKind = "password" | "code" | "recovery-code" | "share-password";

/** What is guessed, and from where. `subject`: an account's id, or what else identifies what is guessed. */
export type Attempt = { kind: AttemptKind; subject: string; address: string };

/** From how many failures on an attempt waits, and how long at most. */
type Slowdown = { free: number; longestMs: number };

const passwordRule = {
  perAddress: { free: limits.passwordTriesPerAddress, longestMs: limits.longestPasswordWaitMs },
  perSubject: { free: limits.passwordTriesPerAccount, longestMs: limits.longestPasswordWaitMs },
};

const rules: Record<AttemptKind, { perAddress: Slowdown; perSubject: Slowdown }> = {
  password: passwordRule,
  "recovery-code": passwordRule,
  "share-password": passwordRule,
  code: {
    perAddress: { free: limits.secondFactorTriesPerAddress, longestMs: limits.longestSecondFactorWaitMs },
    perSubject: { free: limits.secondFactorTriesPerAccount, longestMs: limits.longestSecondFactorWaitMs },
  },
};

const sweepBatch = 500;

/** Slows down who guesses passwords and codes. The counts are stored: restarts and other servers know them. */
export type Attempts = ReturnType<typeof createAttempts>;

export function createAttempts({ db, clock }: { db: Database; clock: Clock }) {
  const keysOf = ({ kind, subject, address }: Attempt) => ({
    perAddress: hashOf(JSON.stringify([kind, subject, address])),
    perSubject: hashOf(JSON.stringify([kind, subject])),
  });

  /** Milliseconds until the next attempt after these failures. */
  function waitOf(row: { failures: number; last_at: number }, { free, longestMs }: Slowdown): number {
    if (row.failures < free) return 0;
    const waitMs = Math.min(longestMs, limits.firstAttemptWaitMs * 2 ** (row.failures - free));
    // Not more than the wait itself, if the clock was set back.
    return Math.min(waitMs, row.last_at + waitMs - clock.now());
  }

  async function change(tx: Tx, attempt: Attempt, by: 1 | -1, isKnown = false): Promise<void> {
    const keys = keysOf(attempt);
    const nowMs = clock.now();
    const locked = await rows.lockAttempts(tx, keys.perSubject, Object.values(keys));
    for (const scope of ["perAddress", "perSubject"] as const) {
      const row = locked.get(keys[scope]);
      const isForgotten = row === undefined || row.last_at <= nowMs - limits.failedAttemptsMs;
      const { failures, last_at: lastAt } = isForgotten ? { failures: 0, last_at: nowMs } : row;
      const isExempt = by === -1 || (scope === "perSubject" && isKnown);
      const waitMs = isExempt ? 0 : waitOf({ failures, last_at: lastAt }, rules[attempt.kind][scope]);
      if (waitMs > 0)
        throw new AppError("too-many-attempts", { retryAfterSeconds: Math.ceil(waitMs / 1_000) });
      await rows.putAttempts(tx, {
        key_hash: keys[scope],
        failures: Math.max(0, failures + by),
        last_at: by === 1 ? nowMs : lastAt,
      });
    }
  }

  /**
   * Counts an attempt as failed before it is checked, so that simultaneous ones count too. Throws `too-many-attempts`
   * with the seconds to wait. Failures at other addresses do not slow down addresses from which the account has been
   * signed in to: otherwise strangers could keep its owner out.
   */
  async function start(attempt: Attempt): Promise<void> {
    const isKnown = await rows.hasSignedInFrom(db, attempt.subject, attempt.address);
    await db.write(async (tx) => await change(tx, attempt, 1, isKnown));
  }

  /** Takes back what `start` counted, and forgets the failures of this address. */
  async function succeed(tx: Tx, attempt: Attempt): Promise<void> {
    await change(tx, attempt, -1);
    await rows.deleteAttempts(tx, keysOf(attempt).perAddress);
  }

  return {
    start,
    succeed,

    /** Whether `check`, which is one attempt, resolves to true. Throws what it throws, which counts as no attempt. */
    async try(attempt: Attempt, check: () => Promise<boolean>): Promise<boolean> {
      await start(attempt);
      let isRight: boolean;
      try {
        isRight = await check();
      } catch (error) {
        await db.write(async (tx) => await change(tx, attempt, -1));
        throw error;
      }
      if (isRight) await db.write(async (tx) => await succeed(tx, attempt));
      return isRight;
    },

    /** Deletes counts without a recent attempt. Several servers can run this at the same time. */
    sweep: async (signal: AbortSignal): Promise<number> =>
      await sweep(
        async () =>
          await db.write(
            async (tx) => await rows.deleteOldAttempts(tx, clock.now() - limits.failedAttemptsMs, sweepBatch),
          ),
        { size: sweepBatch, clock, signal },
      ),
  };
}
