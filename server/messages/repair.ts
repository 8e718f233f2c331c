import type { Tx } from "#storage/database/database.ts";
import { sql } from "#storage/database/sql.ts";

/** More levels than any thread has that people wrote. */
const levelsMax = 100_000;

/** In a transaction of the doctor's: heights that are not their parent's plus one, and replies that nobody writes. */
export async function mendMessages(tx: Tx, nowMs: number): Promise<Record<string, number>> {
  let heights = 0;
  const roots = await tx.q
    .updateTable("messages")
    .set({ height: 0 })
    .where("parent_id", "is", null)
    .where("height", "<>", 0)
    .executeTakeFirstOrThrow();
  heights += Number(roots.numUpdatedRows);
  // Level by level: what hangs below a height that was set right is wrong itself until its turn comes.
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
  const replies = await tx.q
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
  return { "heights set right": heights, "replies marked as broken off": Number(replies.numUpdatedRows) };
}
