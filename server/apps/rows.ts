import type { Database, Tx } from "#storage/database/database.ts";
import { forUpdate } from "#storage/database/portable-sql.ts";
import type { NewRow, Row } from "#storage/database/tables.ts";

/** The SQL of apps. */

export async function insertApp(tx: Tx, app: NewRow<"apps">): Promise<void> {
  await tx.q
    .insertInto("apps")
    .values(app)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** All apps, oldest first. */
export async function listApps(db: Database): Promise<Row<"apps">[]> {
  return await db.read.selectFrom("apps").selectAll().orderBy("created_at").orderBy("id").execute();
}

export async function findApp(db: Pick<Database, "read">, id: string): Promise<Row<"apps"> | undefined> {
  return await db.read.selectFrom("apps").selectAll().where("id", "=", id).executeTakeFirst();
}

export async function setAnonymousTokens(
  tx: Tx,
  id: string,
  { isOn, models }: { isOn: boolean; models: string[] | null },
): Promise<void> {
  await tx.q
    .updateTable("apps")
    .set({
      anonymous_tokens: isOn ? 1 : 0,
      anonymous_models: models === null ? null : JSON.stringify(models),
    })
    .where("id", "=", id)
    .execute();
}

/** Locks and returns all apps. */
export async function lockApps(tx: Tx): Promise<Row<"apps">[]> {
  await forUpdate(tx, tx.q.selectFrom("apps").select("id").orderBy("id")).execute();
  // A second query: in PostgreSQL, the one that waited for the lock does not see rows that were inserted meanwhile.
  return await tx.q.selectFrom("apps").selectAll().orderBy("id").execute();
}

export async function setOrigins(tx: Tx, id: string, origins: string): Promise<void> {
  await tx.q.updateTable("apps").set({ allowed_origins: origins }).where("id", "=", id).execute();
}
