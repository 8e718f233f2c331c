import type { Row } from "#storage/database/tables.ts";
import { usersOf } from "#server/people/users/rows.ts";
import type { Database, Tx } from "#storage/database/database.ts";

/** The SQL of prompts: a table that only this module writes. */

export type PromptRow = Row<"prompts">;

/** `userId` null: the shared prompts. */
type PromptOwner = { appId: string; userId: string | null };

export async function findPrompt(
  { read: q }: Pick<Database, "read">,
  appId: string,
  id: string,
): Promise<PromptRow | undefined> {
  return await q
    .selectFrom("prompts")
    .selectAll()
    .where("app_id", "=", appId)
    .where("id", "=", id)
    .executeTakeFirst();
}

/** A person's own prompts and the shared ones. */
export async function listPrompts(
  { read: q }: Pick<Database, "read">,
  appId: string,
  userId: string,
): Promise<PromptRow[]> {
  return await q
    .selectFrom("prompts")
    .selectAll()
    .where("app_id", "=", appId)
    .where((where) => where.or([where("user_id", "=", userId), where("user_id", "is", null)]))
    .execute();
}

export async function countPrompts(tx: Tx, { appId, userId }: PromptOwner): Promise<number> {
  const { count } = await tx.q
    .selectFrom("prompts")
    .select((select) => select.fn.countAll<number>().as("count"))
    .where("app_id", "=", appId)
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

export async function isTaken(tx: Tx, id: string): Promise<boolean> {
  return (
    (await tx.q.selectFrom("prompts").select("id").where("id", "=", id).executeTakeFirst()) !== undefined
  );
}

/** Whether the workspaces belong to people of this server: a backend can name its users as it likes. */
export async function areOwn(tx: Tx, workspaceIds: string[]): Promise<boolean> {
  const found = await tx.q
    .selectFrom("workspaces")
    .select("id")
    .where("id", "in", workspaceIds)
    .where("realm", "=", "own")
    .execute();
  return found.length === new Set(workspaceIds).size;
}

export async function movePrompts(tx: Tx, fromId: string, toId: string): Promise<void> {
  await tx.q.updateTable("prompts").set({ user_id: toId }).where("user_id", "=", fromId).execute();
}

/** Deletes the person's own prompts, if the person has one of the workspaces. */
export async function deletePromptsOf(tx: Tx, userId: string, workspaceIds: string[]): Promise<void> {
  await tx.q
    .deleteFrom("prompts")
    .where("user_id", "=", userId)
    .where("user_id", "in", usersOf(tx, workspaceIds))
    .execute();
}
