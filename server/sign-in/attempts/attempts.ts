import { isId } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { recordAudit, unknownActor } from "#server/audit/audit.ts";
import { sweep } from "#server/lib/batched-sweep.ts";
import type { Clock } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import { hashOf } from "../secrets.ts";
import * as rows from "./rows.ts";

/** What can be guessed. Each kind counts apart, so that a guesser of codes does not slow down recovery codes. */
export type AttemptKind = "password" | "code" | "recovery-code" | "share-password";

/**
 * What is guessed, and from where. `subject`: the id of the account, or another name of what is guessed. `isKnown`: whether
 * the address was used for a sign-in before; default: whether it was for the account `subject`.
 */
export type Attempt = {
  kind: AttemptKind;
  subject: string;
  address: string;
  isKnown?: () => Promise<boolean>;
  /**
   * What strangers cannot have: a browser that signed in before, or a reset link. It gets past the delay that failures at
   * strange addresses cause. Failures with it count together, whatever their addresses.
   */
  proof?: string | undefined;
  /** Who makes the attempt, if they are signed in. */
  actorId?: string | undefined;
};

type Scope = "perAddress" | "perSubject" | "perProof";

/**
 * An attempt that counts as failed. `lastAt`: of the attempt before it, where it was counted. `slowsAfter`: how many there
 * have been, if the next one has to wait.
 */
export type StartedAttempt = {
  attempt: Attempt;
  startedAt: number;
  lastAt: Partial<Record<Scope, number>>;
  slowsAfter: number | undefined;
};

/** From how many failures on an attempt waits, and how long at most. */
type Slowdown = { free: number; longestMs: number };

const passwordRule = {
  perAddress: { free: limits.passwordTriesPerAddress, longestMs: limits.longestPasswordWaitMs },
  perSubject: { free: limits.passwordTriesPerAccount, longestMs: limits.longestPasswordWaitMs },
};

const rules: Record<AttemptKind, { perAddress: Slowdown; perSubject?: Slowdown }> = {
  password: passwordRule,
  "recovery-code": passwordRule,
  // A link's readers are not known, and anybody could keep all of them waiting.
  "share-password": { perAddress: passwordRule.perAddress },
  code: {
    perAddress: { free: limits.secondFactorTriesPerAddress, longestMs: limits.longestSecondFactorWaitMs },
    perSubject: { free: limits.secondFactorTriesPerAccount, longestMs: limits.longestSecondFactorWaitMs },
  },
};

const sweepBatch = 500;

/** Slows down who guesses passwords and codes. The counts are stored: restarts and other servers know them. */
export type Attempts = ReturnType<typeof createAttempts>;

export function createAttempts({ db, clock }: { db: Database; clock: Clock }) {
  const keysOf = ({ kind, subject, address, proof = "" }: Attempt): Record<Scope, string> => ({
    perAddress: hashOf(JSON.stringify([kind, subject, address])),
    perSubject: hashOf(JSON.stringify([kind, subject])),
    perProof: hashOf(JSON.stringify([kind, subject, "proof", proof])),
  });

  /** Milliseconds until the next attempt after these failures. */
  function waitOf(row: { failures: number; last_at: number }, { free, longestMs }: Slowdown): number {
    if (row.failures < free) return 0;
    const waitMs = Math.min(longestMs, limits.firstAttemptWaitMs * 2 ** (row.failures - free));
    // Not more than the wait itself, if the clock was set back.
    return Math.min(waitMs, row.last_at + waitMs - clock.now());
  }

  async function lock(tx: Tx, attempt: Attempt) {
    const keys = keysOf(attempt);
    return { keys, locked: await rows.lockAttempts(tx, keys.perSubject, Object.values(keys)) };
  }

  async function count(tx: Tx, attempt: Attempt, isKnown: boolean): Promise<StartedAttempt> {
    const nowMs = clock.now();
    const { keys, locked } = await lock(tx, attempt);
    const started: StartedAttempt = { attempt, startedAt: nowMs, lastAt: {}, slowsAfter: undefined };
    const { perAddress, perSubject } = rules[attempt.kind];
    for (const [scope, rule] of Object.entries({
      perAddress,
      perSubject: isKnown ? undefined : perSubject,
      perProof: attempt.proof === undefined ? undefined : perAddress,
    })) {
      if (rule === undefined) continue;
      const row = locked.get(keys[scope as Scope]);
      const isForgotten = row === undefined || row.last_at <= nowMs - limits.failedAttemptsMs;
      const { failures, last_at: lastAt } = isForgotten ? { failures: 0, last_at: nowMs } : row;
      const waitMs = waitOf({ failures, last_at: lastAt }, rule);
      if (waitMs > 0)
        throw new AppError("too-many-attempts", { retryAfterSeconds: Math.ceil(waitMs / 1_000) });
      started.lastAt[scope as Scope] = lastAt;
      await rows.putAttempts(tx, { key_hash: keys[scope as Scope], failures: failures + 1, last_at: nowMs });
      if (failures + 1 >= rule.free) started.slowsAfter = Math.max(started.slowsAfter ?? 0, failures + 1);
    }
    return started;
  }

  /** Records an attempt that has failed, if the next one has to wait. */
  async function fail({ attempt, slowsAfter }: StartedAttempt): Promise<void> {
    const { kind, subject, address, actorId } = attempt;
    // Not for what belongs to no account: strangers can make up as much as they like.
    if (slowsAfter === undefined || !isId("user", subject)) return;
    const actor = actorId === undefined ? unknownActor(address) : { id: actorId, address };
    const details = { method: kind, attempts: slowsAfter };
    await db.write(
      async (tx) =>
        await recordAudit(tx, { action: "sign-ins-slowed", actor, target: subject, details }, clock.now()),
    );
  }

  /** Afterwards it is as if the attempt had not been made: it does not prolong the wait after earlier ones. */
  async function takeBack(tx: Tx, { attempt, startedAt, lastAt }: StartedAttempt): Promise<void> {
    const { keys, locked } = await lock(tx, attempt);
    for (const [scope, before] of Object.entries(lastAt)) {
      const row = locked.get(keys[scope as Scope]);
      if (row === undefined) continue;
      await rows.putAttempts(tx, {
        key_hash: row.key_hash,
        failures: Math.max(0, row.failures - 1),
        // Unless there was another one since.
        last_at: row.last_at === startedAt ? before : row.last_at,
      });
    }
  }

  /**
   * Counts an attempt as failed before it is checked, so that simultaneous ones count too. Throws `too-many-attempts`
   * with the seconds to wait. Addresses from which the account has been signed in to, and attempts with a proof, count and
   * wait apart from all others: otherwise strangers could keep its owner out.
   */
  async function start(attempt: Attempt): Promise<StartedAttempt> {
    const { subject, address, proof } = attempt;
    const isKnown =
      proof !== undefined || (await (attempt.isKnown?.() ?? rows.hasSignedInFrom(db, subject, address)));
    return await db.write(async (tx) => await count(tx, attempt, isKnown));
  }

  /** Takes back what `start` counted, and forgets the failures of this address and with this proof. */
  async function succeed(tx: Tx, started: StartedAttempt): Promise<void> {
    await takeBack(tx, started);
    const { perAddress, perProof } = keysOf(started.attempt);
    await rows.deleteAttempts(tx, [perAddress, perProof]);
  }

  return {
    start,
    succeed,
    fail,

    /** Whether `check`, which is one attempt, resolves to true. Throws what it throws, which counts as no attempt. */
    async try(attempt: Attempt, check: () => Promise<boolean>): Promise<boolean> {
      const started = await start(attempt);
      let isRight: boolean;
      try {
        isRight = await check();
      } catch (error) {
        await db.write(async (tx) => await takeBack(tx, started));
        throw error;
      }
      if (isRight) await db.write(async (tx) => await succeed(tx, started));
      else await fail(started);
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
