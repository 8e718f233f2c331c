import type { OperatorExport } from "#contract/endpoints/exports.ts";
import { newId } from "#contract/ids.ts";
import { operator, recordAudit } from "#server/audit/audit.ts";
import { addJobInTransaction } from "#server/jobs/jobs.ts";
import { type Clock, isoTime } from "#server/lib/clock.ts";
import { isOwnUser, type Visitor } from "#server/lib/route.ts";
import type { Database, Tx } from "#storage/database/database.ts";

/** What the operator exports of people on the command line. The audit log has it, and these people see it. */
export type OperatorExports = ReturnType<typeof createOperatorExports>;

const listedMax = 20;

export function createOperatorExports({ db, clock }: { db: Database; clock: Clock }) {
  async function announce(tx: Tx, userIds: readonly string[]): Promise<void> {
    const key = newId("audit", clock.now());
    for (const userId of userIds) {
      const job = { kind: "export-mail", key: `${key} ${userId}`, payload: null, about: { userId } } as const;
      await addJobInTransaction(tx, job, clock.now());
    }
  }

  return {
    /** Records an export of one user, before anything is read. In the audit log, users of a backend are their workspace. */
    async recordOfUser(visitor: Visitor): Promise<void> {
      const target = isOwnUser(visitor) ? visitor.userId : visitor.workspaceId;
      await db.write(async (tx) => {
        await recordAudit(tx, { action: "content-exported", actor: operator, target }, clock.now());
        if (isOwnUser(visitor)) await announce(tx, [visitor.userId]);
      });
    },

    /** Records an export of everyone, before anything is read. */
    async recordOfEveryone(): Promise<void> {
      await db.write(async (tx) => {
        await recordAudit(tx, { action: "everyone-exported", actor: operator }, clock.now());
        const accounts = await tx.q
          .selectFrom("users")
          .select("id")
          .where("joined_at", "is not", null)
          .where("email", "is not", null)
          .execute();
        await announce(
          tx,
          accounts.map(({ id }) => id),
        );
      });
    },

    /** The newest exports of what the visitor has, as the audit log has them. */
    async list(visitor: Visitor): Promise<OperatorExport[]> {
      if (!isOwnUser(visitor)) return [];
      const { userId } = visitor;
      const entries = db.read
        .selectFrom("audit_entries")
        .select(["id", "action", "at"])
        .where("actor", "=", operator.id)
        .orderBy("at", "desc")
        .limit(listedMax);
      const [own, ofEveryone, user] = await Promise.all([
        entries.where("action", "=", "content-exported").where("target", "=", userId).execute(),
        entries.where("action", "=", "everyone-exported").execute(),
        db.read.selectFrom("users").select("created_at").where("id", "=", userId).executeTakeFirst(),
      ]);
      const since = user?.created_at ?? 0;
      return [...own, ...ofEveryone.filter(({ at }) => at >= since)]
        .toSorted((a, b) => b.at - a.at)
        .slice(0, listedMax)
        .map(({ action, at }) => ({
          exported_at: isoTime(at),
          is_of_everyone: action === "everyone-exported",
        }));
    },
  };
}
