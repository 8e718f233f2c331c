import { idsOf } from "#storage/database/portable-sql.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import type { Row } from "#storage/database/tables.ts";

/** The SQL of folders and tags: tables that only this module writes. */

export type LabelRow = Row<"labels">;

export async function listLabels(
  { read: q }: Pick<Database, "read">,
  workspaceId: string,
): Promise<LabelRow[]> {
  return await q.selectFrom("labels").selectAll().where("workspace_id", "=", workspaceId).execute();
}

/** The label with this id in any workspace. */
export async function findLabel(tx: Tx, id: string): Promise<LabelRow | undefined> {
  return await tx.q.selectFrom("labels").selectAll().where("id", "=", id).executeTakeFirst();
}

/** The ids among `ids` that are labels of this kind in this workspace. They stay until the transaction ends. */
export async function filterIds(
  tx: Tx,
  workspaceId: string,
  kind: LabelRow["kind"],
  ids: string[],
): Promise<string[]> {
  const query = tx.q
    .selectFrom("labels")
    .select("id")
    .where("workspace_id", "=", workspaceId)
    .where("kind", "=", kind)
    .where("id", "in", idsOf(tx, ids))
    .orderBy("id");
  return (await (tx.engine === "postgres" ? query.forKeyShare() : query).execute()).map(({ id }) => id);
}

export async function upsertLabel(tx: Tx, row: LabelRow): Promise<void> {
  const { name, name_key } = row;
  await tx.q
    .insertInto("labels")
    .values(row)
    .onConflict((conflict) => conflict.column("id").doUpdateSet({ name, name_key }))
    .execute();
}

/** The threads in a folder or with a tag. */
export async function threadsOfLabel(tx: Tx, id: string): Promise<string[]> {
  const inFolder = tx.q.selectFrom("threads").select("id").where("folder_id", "=", id);
  const tagged = tx.q.selectFrom("thread_tags").select("thread_id as id").where("label_id", "=", id);
  return (await inFolder.union(tagged).execute()).map((thread) => thread.id);
}

export async function deleteLabel(tx: Tx, id: string): Promise<void> {
  await tx.q.deleteFrom("labels").where("id", "=", id).execute();
}

export async function setTags(tx: Tx, threadId: string, tagIds: string[]): Promise<void> {
  await tx.q.deleteFrom("thread_tags").where("thread_id", "=", threadId).execute();
  if (tagIds.length === 0) return;
  await tx.q
    .insertInto("thread_tags")
    .values(tagIds.map((label_id) => ({ thread_id: threadId, label_id })))
    .execute();
}

/** Gives the threads of one label another one of the same kind, and deletes the first. */
export async function mergeLabel(tx: Tx, { id, kind }: LabelRow, into: string): Promise<void> {
  if (kind === "folder")
    await tx.q.updateTable("threads").set({ folder_id: into }).where("folder_id", "=", id).execute();
  else
    await tx.q
      .insertInto("thread_tags")
      .columns(["thread_id", "label_id"])
      .expression((of) =>
        of
          .selectFrom("thread_tags")
          .where("label_id", "=", id)
          .select((column) => ["thread_id", column.val(into).as("label_id")]),
      )
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  await deleteLabel(tx, id);
}

export async function moveLabel(tx: Tx, id: string, workspaceId: string): Promise<void> {
  await tx.q.updateTable("labels").set({ workspace_id: workspaceId }).where("id", "=", id).execute();
}

export async function deleteLabelsOf(tx: Tx, workspaceIds: string[]): Promise<void> {
  await tx.q.deleteFrom("labels").where("workspace_id", "in", idsOf(tx, workspaceIds)).execute();
}
