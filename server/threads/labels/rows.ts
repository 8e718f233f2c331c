import { idsOf } from "#storage/database/portable-sql.ts";
import type { Tx } from "#storage/database/database.ts";
import type { Row } from "#storage/database/tables.ts";
import { ownedRows } from "#server/people/owned-rows.ts";

/** The SQL of folders and tags: tables that only this module writes. */

export type LabelRow = Row<"labels">;

export const ownedLabels = ownedRows("labels", "workspace_id");

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

/** The threads in a folder or with a tag. */
export async function threadsOfLabel(tx: Tx, id: string): Promise<string[]> {
  const inFolder = tx.q.selectFrom("threads").select("id").where("folder_id", "=", id);
  const tagged = tx.q.selectFrom("thread_tags").select("thread_id as id").where("label_id", "=", id);
  return (await inFolder.union(tagged).execute()).map((thread) => thread.id);
}

export async function setTags(tx: Tx, threadId: string, tagIds: string[]): Promise<void> {
  await tx.q.deleteFrom("thread_tags").where("thread_id", "=", threadId).execute();
  if (tagIds.length === 0) return;
  await tx.q
    .insertInto("thread_tags")
    .values(tagIds.map((label_id) => ({ thread_id: threadId, label_id })))
    .execute();
}

/** Gives the threads of one label another one of the same kind. */
export async function giveThreads(tx: Tx, { id, kind }: LabelRow, into: string): Promise<void> {
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
}
