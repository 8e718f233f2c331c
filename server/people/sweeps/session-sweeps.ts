import type { Database, Tx } from "#storage/database/database.ts";
import type { Clock } from "../../lib/clock.ts";
import { sweep } from "../../lib/batched-sweep.ts";
import { forgetAccount } from "../accounts/forget-account.ts";
import { lockUsers } from "../accounts/rows.ts";
import { deleteEndedSessions } from "#server/sign-in/rows.ts";
import { deleteVisitors, deleteWorkspaces } from "../users/rows.ts";
import * as rows from "./rows.ts";

/** Deletes ended sessions, and visitors without content. Several servers can run this at the same time. */
export type AuthSweeps = {
  /** Deletes sessions that expired or were revoked more than `keepMs` ago. Returns their number. */
  sessions(signal: AbortSignal): Promise<number>;
  /**
   * Forgets the accounts that people without a session asked for long ago, so that the e-mail addresses are free again.
   * Returns their number.
   */
  joinRequests(signal: AbortSignal): Promise<number>;
  /**
   * Deletes anonymous users without a session and without content. Their workspace stays if statistics refer to it.
   * Returns the number of deleted users.
   */
  visitors(signal: AbortSignal): Promise<number>;
};

const sessionsPerBatch = 200;
const requestsPerBatch = 100;
/** Users that are checked together. Most have a session, which an index finds. */
const usersPerPage = 200;
/** One sweep checks 20,000 users. The next one continues there. */
const pagesPerSweep = 100;

export function createAuthSweeps(options: {
  db: Database;
  clock: Clock;
  /** How long an ended session is kept. */
  keepMs: number;
  /** A user with rows in these tables is kept. */
  contentTables: rows.WorkspaceTable[];
  /** A workspace with rows in these tables is kept without its user. */
  statisticsTables: rows.WorkspaceTable[];
  /** Called in the transaction that deletes workspaces, to delete what else refers to them. */
  onWorkspacesDeleted: (tx: Tx, workspaceIds: string[]) => Promise<void>;
}): AuthSweeps {
  const { db, clock, keepMs } = options;
  let lastUserId = "";

  async function findUnused(
    from: rows.QuerySource,
    users: rows.UserWithWorkspace[],
  ): Promise<rows.UserWithWorkspace[]> {
    return await rows.withoutRows(from, options.contentTables, await rows.withoutSession(from, users));
  }

  async function deleteUnused(found: rows.UserWithWorkspace[]): Promise<number> {
    return await db.write(async (tx) => {
      // Checked again under the lock: rows can have been added since.
      await rows.lockWorkspaces(tx, found);
      const unused = await findUnused(tx, found);
      await deleteVisitors(tx, unused);
      const workspaceIds = (await rows.withoutRows(tx, options.statisticsTables, unused)).map(
        (user) => user.workspace_id,
      );
      await deleteWorkspaces(tx, workspaceIds);
      await options.onWorkspacesDeleted(tx, workspaceIds);
      return unused.length;
    });
  }

  return {
    sessions: async (signal) =>
      await sweep(
        async () =>
          await db.write(async (tx) => await deleteEndedSessions(tx, clock.now() - keepMs, sessionsPerBatch)),
        { size: sessionsPerBatch, clock, signal },
      ),

    joinRequests: async (signal) =>
      await sweep(
        async () => {
          const ids = await rows.listOldJoinRequests(db, clock.now(), requestsPerBatch);
          for (const id of ids)
            await db.write(async (tx) => {
              const user = (await lockUsers(tx, [id])).get(id);
              // An administrator may have decided since.
              if (user?.joined_at === null) await forgetAccount(tx, id);
            });
          return ids.length;
        },
        { size: requestsPerBatch, clock, signal },
      ),

    async visitors(signal) {
      let deleted = 0;
      let pages = 0;
      const page = async (): Promise<number> => {
        const users = await rows.listAnonymousUsers(db, lastUserId, usersPerPage);
        lastUserId = users.length < usersPerPage ? "" : users.at(-1)!.id;
        const found = await findUnused({ engine: db.engine, q: db.read }, users);
        if (found.length > 0) deleted += await deleteUnused(found);
        return ++pages < pagesPerSweep ? users.length : 0;
      };
      await sweep(page, { size: usersPerPage, clock, signal });
      return deleted;
    },
  };
}
