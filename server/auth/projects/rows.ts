import type { Database, Tx } from "#storage/database/database.ts";
import { forUpdate } from "#storage/database/portable-sql.ts";
import type { NewRow, Row } from "#storage/database/tables.ts";

/** The SQL of projects. */

export async function insertProject(tx: Tx, project: NewRow<"projects">): Promise<void> {
  await tx.q
    .insertInto("projects")
    .values(project)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Every project, the oldest first. */
export async function listProjects(db: Database): Promise<Row<"projects">[]> {
  return await db.read.selectFrom("projects").selectAll().orderBy("created_at").orderBy("id").execute();
}

/** All of them, held until the transaction ends: what follows is true of them still. */
export async function holdProjects(tx: Tx): Promise<Row<"projects">[]> {
  await forUpdate(tx, tx.q.selectFrom("projects").select("id").orderBy("id")).execute();
  // Asked anew: PostgreSQL shows a statement that waited no row that was made meanwhile.
  return await tx.q.selectFrom("projects").selectAll().orderBy("id").execute();
}

export async function setOrigins(tx: Tx, id: string, origins: string): Promise<void> {
  await tx.q.updateTable("projects").set({ allowed_origins: origins }).where("id", "=", id).execute();
}
