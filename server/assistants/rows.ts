import { forUpdate, idsOf } from "#storage/database/portable-sql.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import type { Row, RowChange } from "#storage/database/tables.ts";

/** The SQL of assistants: a table that only this module writes. */

export type AssistantRow = Row<"assistants">;

/** An app's assistants that are not deleted, in order. */
export async function listAssistants(db: Pick<Database, "read">, appId: string): Promise<AssistantRow[]> {
  return await db.read
    .selectFrom("assistants")
    .selectAll()
    .where("app_id", "=", appId)
    .where("deleted_at", "is", null)
    .orderBy("position")
    .orderBy("id")
    .execute();
}

/** An assistant of this app, also a deleted one. */
export async function findAssistant(
  db: Pick<Database, "read">,
  appId: string,
  id: string,
): Promise<AssistantRow | undefined> {
  return await db.read
    .selectFrom("assistants")
    .selectAll()
    .where("app_id", "=", appId)
    .where("id", "=", id)
    .executeTakeFirst();
}

/** The names of the assistants with these ids, including deleted ones. */
export async function findNames(
  db: Database,
  appId: string,
  ids: string[],
): Promise<Pick<AssistantRow, "id" | "name">[]> {
  return await db.read
    .selectFrom("assistants")
    .select(["id", "name"])
    .where("app_id", "=", appId)
    .where("id", "in", idsOf(db, ids))
    .execute();
}

/** Locks the app, so that its assistants are changed by one transaction at a time. */
export async function lockApp(tx: Tx, appId: string): Promise<void> {
  await forUpdate(tx, tx.q.selectFrom("apps").select("id").where("id", "=", appId)).execute();
}

export async function insertAssistant(tx: Tx, row: AssistantRow): Promise<void> {
  await tx.q.insertInto("assistants").values(row).execute();
}

export async function updateAssistant(
  tx: Tx,
  { app_id: appId, id }: Pick<AssistantRow, "app_id" | "id">,
  change: RowChange<"assistants">,
): Promise<void> {
  await tx.q.updateTable("assistants").set(change).where("app_id", "=", appId).where("id", "=", id).execute();
}
