import type { Database, Tx } from "#storage/database/database.ts";
import { erasedUser, type Auth } from "#server/sign-in/auth.ts";
import { recordAudit, type Actor } from "#server/audit/audit.ts";
import type { Clock } from "#server/lib/clock.ts";
import type { Live } from "#server/live/live.ts";
import type { Logger } from "#server/lib/logger.ts";
import { AppError } from "#server/lib/errors.ts";
import { isOwnUser, type AppKey, type Visitor } from "#server/lib/route.ts";
import { redactReports } from "#server/protocol/reports/report-rows.ts";
import { redactSpans } from "#server/protocol/traces/span-rows.ts";
import { eraseRuns } from "#server/runs/lifecycle/erase.ts";
import { eraseThreads, type Erased } from "#server/threads/erase.ts";

/** Erases people (the right to be forgotten). */
export type Erasure = {
  /**
   * Permanently erases a person of the key's app, in one transaction: their threads with all content, their messages
   * in other people's threads, and their scores, events, sessions and name. Statistics about runs stay, without the
   * person. Idempotent. Throws `not-allowed` for people with an account.
   */
  erase(key: AppKey, userId: string, actor: Actor): Promise<Count>;
  /**
   * Erases the visitor's own content, but not their name, their sessions and what they used of their budgets. Throws `not-allowed` for users of a backend, which
   * erases them with `erase`.
   */
  eraseOwn(visitor: Visitor, actor: Actor): Promise<Count>;
  /** Like `erase`, in the transaction of an administrator, for a person with an account, which it deletes too. */
  eraseAccount(tx: Tx, account: { appId: string; userId: string; workspaceId: string }): Promise<void>;
};

/** Erases what a module stores about a person and their own workspaces. */
export type Eraser = (tx: Tx, who: Erased, workspaceIds: string[]) => Promise<void>;

type Count = { threads: number; runs: number };

export function createErasure(options: {
  db: Database;
  clock: Clock;
  logger: Logger;
  live: Live;
  auth: Auth;
  /** Called after the threads are erased, to erase what other modules store about the person and their own workspaces. */
  erasers: Eraser[];
}): Erasure {
  const { db, clock, logger, live, auth, erasers } = options;

  async function eraseContent(tx: Tx, who: Erased, workspaces: string[]): Promise<Count> {
    const runs = await eraseRuns(tx, who, workspaces, clock.now(), emptyRunDetails);
    const threads = await eraseThreads(tx, live, who, workspaces);
    for (const erase of erasers) await erase(tx, who, workspaces);
    return { threads: threads.length, runs };
  }

  return {
    async eraseAccount(tx, { appId, userId, workspaceId }) {
      const who: Erased = { appId, userId, marker: erasedUser };
      await eraseContent(tx, who, [workspaceId]);
      await auth.eraseAccount(tx, userId, workspaceId);
    },

    async erase(key, userId, actor) {
      const who: Erased = { appId: key.appId, userId, marker: erasedUser };
      const erased = await db.write(async (tx) => {
        const workspaces = await auth.workspacesOf(tx, key.appId, userId);
        await auth.erase(tx, who, workspaces);
        const erased = await eraseContent(tx, who, workspaces);
        // Not the person's id, which the backend has made: it may say who they are.
        const entry = { action: "content-erased", actor, target: key.appId, details: erased } as const;
        await recordAudit(tx, entry, clock.now());
        return erased;
      });
      logger.info({ apiKey: key.credentialId, ...erased }, "a backend erased a person");
      return erased;
    },

    async eraseOwn(visitor, actor) {
      const { appId, userId, workspaceId } = visitor;
      if (!isOwnUser(visitor)) throw new AppError("not-allowed");
      const who: Erased = { appId, userId, marker: erasedUser };
      const erased = await db.write(async (tx) => {
        const details = await auth.budgets.keepUse(
          tx,
          who,
          async () => await eraseContent(tx, who, [workspaceId]),
        );
        if (visitor.role !== "guest")
          await recordAudit(tx, { action: "content-erased", actor, details }, clock.now());
        return details;
      });
      logger.info(erased, "a person erased their content");
      return erased;
    },
  };
}

export async function emptyRunDetails(tx: Tx, runIds: string[]): Promise<void> {
  await redactReports(tx, runIds);
  await redactSpans(tx, runIds);
}
