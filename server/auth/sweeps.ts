import type { Database, Tx } from "#storage/database/database.ts";
import type { Clock } from "../lib/clock.ts";
import { sweep } from "../lib/batched-sweep.ts";
import * as rows from "./sweep-rows.ts";

/** Clears away sign-ins that are over, and the visitors who left with them. Several servers may do so at once. */
export type AuthSweeps = {
  /** Deletes sessions that expired or were revoked long enough ago. Answers how many. */
  sessions(signal: AbortSignal): Promise<number>;
  /**
   * Deletes anonymous users without a session, whose token therefore opens nothing any more, in whose workspace nothing
   * is kept. The workspace stays where something is counted by it. Answers how many users went.
   */
  visitors(signal: AbortSignal): Promise<number>;
};

const sessionsPerBatch = 200;
/** Users that are looked at together; most are found with a session, by an index, and left alone. */
const usersPerPage = 200;
/** Pages of one round: 20,000 users. The next round goes on from there. */
const pagesPerRound = 100;

export function createAuthSweeps(options: {
  db: Database;
  clock: Clock;
  /** How long a session that is over is kept. */
  keepMs: number;
  /** Tables that make a visitor stay: their threads. */
  belongings: rows.OfWorkspace[];
  /** Tables that make only the workspace stay: runs and judgements that are counted. */
  traces: rows.OfWorkspace[];
  /** In the transaction in which workspaces go: what else bears their names. */
  dropped: (tx: Tx, workspaceIds: string[]) => Promise<void>;
}): AuthSweeps {
  const { db, clock, keepMs } = options;
  let lookedUpTo = "";

  async function leavers(from: rows.From, users: rows.Leaver[]): Promise<rows.Leaver[]> {
    return await rows.without(from, options.belongings, await rows.withoutSession(from, users));
  }

  async function remove(found: rows.Leaver[]): Promise<number> {
    return await db.write(async (tx) => {
      // Held first, and looked at again: what came in between is seen, and nothing more comes.
      await rows.holdWorkspaces(tx, found);
      const gone = await leavers(tx, found);
      await rows.deleteVisitors(tx, gone);
      const unneeded = (await rows.without(tx, options.traces, gone)).map((user) => user.workspace_id);
      await rows.deleteWorkspaces(tx, unneeded);
      await options.dropped(tx, unneeded);
      return gone.length;
    });
  }

  return {
    sessions: async (signal) =>
      await sweep(
        async () =>
          await db.write(
            async (tx) => await rows.deleteEndedSessions(tx, clock.now() - keepMs, sessionsPerBatch),
          ),
        { size: sessionsPerBatch, clock, signal },
      ),

    async visitors(signal) {
      let removed = 0;
      let pages = 0;
      const page = async (): Promise<number> => {
        const users = await rows.anonymousAfter(db, lookedUpTo, usersPerPage);
        lookedUpTo = users.length < usersPerPage ? "" : users.at(-1)!.id;
        const found = await leavers({ engine: db.engine, q: db.read }, users);
        if (found.length > 0) removed += await remove(found);
        return ++pages < pagesPerRound ? users.length : 0;
      };
      await sweep(page, { size: usersPerPage, clock, signal });
      return removed;
    },
  };
}
