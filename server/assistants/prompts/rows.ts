import type { Row } from "#storage/database/tables.ts";
import type { Database, Tx } from "#storage/database/database.ts";

/** The SQL of prompts: a table that only this module writes. */

export type PromptRow = Row<"prompts">;

/** `userId` null: the shared prompts. */
type Shelf = { projectId: string; userId: string | null };

export async function findPrompt(
  { read: q }: Pick<Database, "read">,
  projectId: string,
  id: string,
): Promise<PromptRow | undefined> {
  return await q
    .selectFrom("prompts")
    .selectAll()
    .where("project_id", "=", projectId)
    .where("id", "=", id)
    .executeTakeFirst();
}

/** A person's own prompts and the shared ones. */
export async function listPrompts(
  { read: q }: Pick<Database, "read">,
  projectId: string,
  userId: string,
): Promise<PromptRow[]> {
  return await q
    .selectFrom("prompts")
    .selectAll()
    .where("project_id", "=", projectId)
    .where((where) => where.or([where("user_id", "=", userId), where("user_id", "is", null)]))
    .execute();
}

export async function countPrompts(tx: Tx, { projectId, userId }: Shelf): Promise<number> {
  const { count } = await tx.q
    .selectFrom("prompts")
    .select((select) => select.fn.countAll<number>().as("count"))
    .where("project_id", "=", projectId)
    .where("user_id", "is not distinct from", userId)
    .executeTakeFirstOrThrow();
  return count;
}

export async function upsertPrompt(tx: Tx, row: PromptRow): Promise<void> {
  const { user_id, title, text, updated_at } = row;
  await tx.q
    .insertInto("prompts")
    .values(row)
    .onConflict((conflict) => conflict.column("id").doUpdateSet({ user_id, title, text, updated_at }))
    .execute();
}

export async function deletePrompt(tx: Tx, id: string): Promise<void> {
  await tx.q.deleteFrom("prompts").where("id", "=", id).execute();
}
