import { idsOf } from "#storage/database/portable-sql.ts";
import type { Tx } from "#storage/database/database.ts";
import type { Kysely } from "#storage/database/sql.ts";
import type { NewRow, Row, Tables } from "#storage/database/tables.ts";

/** The SQL of panels: a table that only this module writes. */

export async function findPanel(
  q: Kysely<Tables>,
  threadId: string,
  userId: string,
): Promise<Pick<Row<"thread_panels">, "panel" | "updated_at"> | undefined> {
  return await q
    .selectFrom("thread_panels")
    .select(["panel", "updated_at"])
    .where("thread_id", "=", threadId)
    .where("user_id", "=", userId)
    .executeTakeFirst();
}

export async function savePanel(tx: Tx, row: NewRow<"thread_panels">): Promise<void> {
  await tx.q
    .insertInto("thread_panels")
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(["thread_id", "user_id"])
        .doUpdateSet({ panel: row.panel, updated_at: row.updated_at }),
    )
    .execute();
}

export async function reassignPanels(tx: Tx, threadIds: string[], from: string, to: string): Promise<void> {
  await tx.q
    .updateTable("thread_panels")
    .set({ user_id: to })
    .where("user_id", "=", from)
    .where("thread_id", "in", idsOf(tx, threadIds))
    .execute();
}

/** Deletes the panels of a user in all threads of the app. */
export async function deletePanelsOf(tx: Tx, appId: string, userId: string): Promise<void> {
  await tx.q
    .deleteFrom("thread_panels")
    .where("user_id", "=", userId)
    .where("thread_id", "in", tx.q.selectFrom("threads").select("id").where("app_id", "=", appId))
    .execute();
}
