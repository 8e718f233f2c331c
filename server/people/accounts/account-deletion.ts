import { limits } from "#contract/limits.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { recordAudit } from "#server/audit/audit.ts";
import type { Clock } from "#server/lib/clock.ts";
import type { Logger } from "#server/lib/logger.ts";
import { AppError } from "#server/lib/errors.ts";
import type { Visitor } from "#server/lib/route.ts";
import { publishUserChange } from "#server/sign-in/credential-watch.ts";
import { lockActiveOwners } from "../rows.ts";
import { revokeSessionsOf } from "#server/sign-in/rows.ts";
import type { RequestSource } from "./account-session.ts";
import type { RequireRecentSignIn } from "#server/sign-in/recent-sign-in.ts";
import * as rows from "./rows.ts";

export type AccountDeletion = {
  /**
   * Signs the person out everywhere, and deletes the account after seven days unless they sign in before. Their keys do not
   * work meanwhile. Returns when.
   * Throws `confirmation-needed`, `no-account` and `last-owner`.
   */
  request(visitor: Visitor, from: Pick<RequestSource, "address">): Promise<Date>;
  /** Deletes the accounts whose time has come, also those that administrators deleted. Returns their number. */
  deleteDue(signal: AbortSignal): Promise<number>;
};

export function createAccountDeletion({
  db,
  clock,
  logger,
  requireRecent,
  stopRuns,
  erase,
}: {
  db: Database;
  clock: Clock;
  logger: Pick<Logger, "error">;
  requireRecent: RequireRecentSignIn;
  /** Asks all answers of a workspace to stop. */
  stopRuns: (tx: Tx, workspaceId: string, nowMs: number) => Promise<void>;
  /** Deletes the account and everything in its workspace. */
  erase: (tx: Tx, account: { appId: string; userId: string; workspaceId: string }) => Promise<void>;
}): AccountDeletion {
  async function deleteIfDue(id: string): Promise<boolean> {
    return await db.write(async (tx) => {
      const nowMs = clock.now();
      const account = (await rows.lockUsers(tx, [id])).get(id);
      // The person may have signed in, or another server deleted the account, before the lock.
      if (account?.deletion_due_at == null || account.deletion_due_at > nowMs) return false;
      await stopRuns(tx, account.workspace_id, nowMs);
      await erase(tx, { appId: account.app_id, userId: id, workspaceId: account.workspace_id });
      const actor = { id: account.deletion_by ?? id };
      await recordAudit(tx, { action: "person-deleted", actor, target: id }, nowMs);
      return true;
    });
  }

  return {
    async request(visitor, { address }) {
      await requireRecent(visitor);
      const id = visitor.userId;
      return await db.write(async (tx) => {
        const nowMs = clock.now();
        const owners = await lockActiveOwners(tx);
        const account = (await rows.lockUsers(tx, [id])).get(id);
        if (account === undefined || account.joined_at === null) throw new AppError("no-account");
        if (owners.every((owner) => owner === id) && account.is_owner === 1) throw new AppError("last-owner");
        const dueAt = nowMs + limits.accountDeletionMs;
        await rows.changeUser(tx, id, { deletion_due_at: dueAt });
        await revokeSessionsOf(tx, id, "all", nowMs);
        publishUserChange(tx, id);
        await stopRuns(tx, account.workspace_id, nowMs);
        const actor = { id, address };
        await recordAudit(tx, { action: "account-deletion-requested", actor }, nowMs);
        return new Date(dueAt);
      });
    },
    async deleteDue(signal) {
      let deleted = 0;
      for (const id of await rows.listDueDeletions(db.read, clock.now())) {
        if (signal.aborted) break;
        try {
          if (await deleteIfDue(id)) deleted++;
        } catch (error) {
          // The others are deleted all the same.
          logger.error({ err: error, userId: id }, "an account could not be deleted; trying again later");
        }
      }
      return deleted;
    },
  };
}
