import type { Database, Tx } from "#storage/database/database.ts";
import { sql, type Kysely } from "#storage/database/sql.ts";
import type { Row, Tables } from "#storage/database/tables.ts";
import type { RunRow } from "../rows.ts";

/** The SQL of comparisons: a table that only this module writes. */

export type ComparisonRow = Row<"comparisons">;

export async function insertComparison(tx: Tx, row: ComparisonRow): Promise<void> {
  await tx.q.insertInto("comparisons").values(row).execute();
}

/** A comparison in any workspace. */
export async function findAnywhere(tx: Tx, id: string): Promise<ComparisonRow | undefined> {
  return await tx.q.selectFrom("comparisons").selectAll().where("id", "=", id).executeTakeFirst();
}

/** A comparison in a thread of this workspace. */
export async function findComparison(
  q: Kysely<Tables>,
  workspaceId: string,
  id: string,
): Promise<ComparisonRow | undefined> {
  return await q
    .selectFrom("comparisons")
    .innerJoin("threads", "threads.id", "thread_id")
    .selectAll("comparisons")
    .where("comparisons.id", "=", id)
    .where("threads.workspace_id", "=", workspaceId)
    .executeTakeFirst();
}

/** The runs of a comparison, oldest first. A reply that was continued has several. */
export async function listRuns(q: Kysely<Tables>, id: string): Promise<RunRow[]> {
  return await q
    .selectFrom("runs")
    .selectAll()
    .where("comparison_id", "=", id)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
}

/** Records the choice, after which the models are no longer secret. */
export async function storeChoice(
  tx: Tx,
  id: string,
  choice: { replyId: string; nowMs: number },
): Promise<void> {
  await tx.q
    .updateTable("comparisons")
    .set({ chosen_reply_id: choice.replyId, chosen_at: choice.nowMs })
    .where("id", "=", id)
    .execute();
  await tx.q.updateTable("runs").set({ is_blind: 0 }).where("comparison_id", "=", id).execute();
}

/** How often each model took part in this person's decided comparisons, and how often it was chosen. */
export async function countWins(
  db: Database,
  { workspaceId, userId }: { workspaceId: string; userId: string },
): Promise<{ model: string; wins: number; comparisons: number }[]> {
  const answers = db.read
    .selectFrom("comparisons")
    .innerJoin("threads", "threads.id", "comparisons.thread_id")
    .innerJoin("runs", "runs.comparison_id", "comparisons.id")
    .select((row) => [
      "comparisons.id",
      row.fn.max<string>("runs.model").as("model"),
      sql<number>`max(case when runs.reply_id = comparisons.chosen_reply_id then 1 else 0 end)`.as(
        "is_chosen",
      ),
    ])
    .where("threads.workspace_id", "=", workspaceId)
    .where("comparisons.user_id", "=", userId)
    .where("comparisons.chosen_reply_id", "is not", null)
    .where("runs.model", "is not", null)
    // A reply that was continued has several runs.
    .groupBy(["comparisons.id", "runs.reply_id"]);
  const counted = await db.read
    .selectFrom(answers.as("answers"))
    .select((row) => [
      "model",
      row.fn.sum<number>("is_chosen").as("wins"),
      row.fn.countAll<number>().as("comparisons"),
    ])
    .groupBy("model")
    .execute();
  return counted.toSorted(
    (a, b) => b.wins - a.wins || b.comparisons - a.comparisons || (a.model < b.model ? -1 : 1),
  );
}
