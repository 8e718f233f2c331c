import type { Tx } from "#storage/database/database.ts";
import { sql } from "#storage/database/sql.ts";

/** More levels than real threads have. */
const levelsMax = 100_000;

/**
 * In a transaction of the doctor: corrects heights that are not the parent's plus one, and ends replies that no run
 * writes any more. Returns how many rows each repair changed.
 */
export async function repairMessages(tx: Tx, nowMs: number): Promise<Record<string, number>> {
  return {
    "heights corrected": await repairHeights(tx),
    "replies marked as interrupted": await endOrphanedReplies(tx, nowMs),
  };
}

async function repairHeights(tx: Tx): Promise<number> {
  let heights = 0;
  const roots = await tx.q
    .updateTable("messages")
    .set({ height: 0 })
    .where("parent_id", "is", null)
    .where("height", "<>", 0)
    .executeTakeFirstOrThrow();
  heights += Number(roots.numUpdatedRows);
  // Level by level, because correcting a height makes those of its children wrong.
  for (let level = 0; level < levelsMax; level++) {
    const { numAffectedRows } = await sql`
      update messages set height = (
        select parent.height + 1 from messages as parent
        where parent.id = messages.parent_id and parent.thread_id = messages.thread_id
      ) where id in (
        select child.id from messages as child join messages as parent
          on parent.id = child.parent_id and parent.thread_id = child.thread_id
        where parent.height = ${level} and child.height <> parent.height + 1
      )`.execute(tx.q);
    heights += Number(numAffectedRows ?? 0);
    const { rows } = await sql<{ id: string }>`
      select child.id from messages as child join messages as parent
        on parent.id = child.parent_id and parent.thread_id = child.thread_id
      where child.height <> parent.height + 1 and parent.height > ${level} limit 1`.execute(tx.q);
    if (rows.length === 0) break;
  }
  return heights;
}

async function endOrphanedReplies(tx: Tx, nowMs: number): Promise<number> {
  const { numUpdatedRows } = await tx.q
    .updateTable("messages")
    .set({ status: "incomplete", status_reason: "interrupted", updated_at: nowMs })
    .where("status", "=", "running")
    .where((is) =>
      is.not(
        is.exists(
          is
            .selectFrom("runs")
            .select("runs.id")
            .whereRef("runs.id", "=", "messages.run_id")
            .where("runs.ended_at", "is", null),
        ),
      ),
    )
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}
