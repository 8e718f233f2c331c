import { userKinds } from "#contract/endpoints/auth.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { erasedUser, type Auth } from "#server/auth/auth.ts";
import type { Clock } from "#server/lib/clock.ts";
import type { Live } from "#server/live/live.ts";
import type { Logger } from "#server/lib/logger.ts";
import { AppError } from "#server/lib/errors.ts";
import type { ProjectKey, Visitor } from "#server/lib/route.ts";
import { redactReports } from "#server/protocol/reports/report-rows.ts";
import { redactSpans } from "#server/protocol/traces/span-rows.ts";
import { eraseRuns } from "#server/runs/lifecycle/erase.ts";
import { eraseThreads, type Erased } from "#server/threads/erase.ts";

/** The right to be forgotten. */
export type Erasure = {
  /**
   * Erases a person of the key's project for good, in one transaction: the threads they made, with everything in them;
   * their words in threads of others; their scores, events, sessions and name. Runs stay counted, without them. Nothing
   * is left to do the second time. Throws `not-allowed` for an administrator.
   */
  erase(key: ProjectKey, userId: string): Promise<Count>;
  /**
   * Erases what somebody has here, at their own wish: the same, but for their name and their sessions, which stay. Throws
   * `not-allowed` for those whom an application names: it decides for them.
   */
  eraseOwn(visitor: Visitor): Promise<Count>;
};

type Count = { threads: number; runs: number };

export function createErasure(options: {
  db: Database;
  clock: Clock;
  logger: Logger;
  live: Live;
  auth: Auth;
  /** What the other rooms keep of a person, and in the workspaces that are theirs alone, after their threads are gone. */
  erasers: ((tx: Tx, who: Erased, workspaceIds: string[]) => Promise<void>)[];
}): Erasure {
  const { db, clock, logger, live, auth, erasers } = options;

  async function takeAway(tx: Tx, who: Erased, workspaces: string[]): Promise<Count> {
    const runs = await eraseRuns(tx, who, workspaces, clock.now(), emptyRunDetails);
    const threads = await eraseThreads(tx, live, who, workspaces);
    for (const erase of erasers) await erase(tx, who, workspaces);
    return { threads: threads.length, runs };
  }

  return {
    async erase(key, userId) {
      const who: Erased = { projectId: key.projectId, userId, marker: erasedUser };
      const erased = await db.write(async (tx) => {
        const workspaces = await auth.workspacesOf(tx, key.projectId, userId);
        await auth.forget(tx, who, workspaces);
        return await takeAway(tx, who, workspaces);
      });
      logger.info({ apiKey: key.credentialId, ...erased }, "a person was erased at a backend's request");
      return erased;
    },

    async eraseOwn({ kind, projectId, userId, workspaceId }) {
      if (!isUserKind(kind)) throw new AppError("not-allowed");
      const who: Erased = { projectId, userId, marker: erasedUser };
      const erased = await db.write(async (tx) => await takeAway(tx, who, [workspaceId]));
      logger.info(erased, "a person erased what they had here");
      return erased;
    },
  };
}

async function emptyRunDetails(tx: Tx, runIds: string[]): Promise<void> {
  await redactReports(tx, runIds);
  await redactSpans(tx, runIds);
}

function isUserKind(kind: string): boolean {
  return userKinds.some((own) => own === kind);
}
