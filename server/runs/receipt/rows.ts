import { idsOf } from "#storage/database/portable-sql.ts";
import type { Database } from "#storage/database/database.ts";
import type { Row } from "#storage/database/tables.ts";

export type ReceiptRow = Row<"model_requests"> & {
  /** 1 while a blind comparison hides the model. */
  is_blind: number;
};

/** The requests of a run, and of other runs of the same reply, oldest first. */
export async function findRequests(
  db: Database,
  { id, reply_id: replyId, workspace_id: workspaceId }: Row<"runs">,
): Promise<ReceiptRow[]> {
  return await db.read
    .selectFrom("model_requests")
    .innerJoin("runs", "runs.id", "model_requests.run_id")
    .selectAll("model_requests")
    .select("runs.is_blind")
    .where("model_requests.workspace_id", "=", workspaceId)
    .where((is) => is.or([is("runs.id", "=", id), is("runs.reply_id", "=", replyId)]))
    .orderBy("model_requests.sent_at")
    .orderBy("model_requests.id")
    .execute();
}

/** What these requests were made from, and the requests that they begin as, oldest first. */
export async function findContents(db: Database, ids: string[]): Promise<Row<"request_contents">[]> {
  if (ids.length === 0) return [];
  return await db.read
    .withRecursive("chain", (with_) =>
      with_
        .selectFrom("request_contents")
        .selectAll()
        .where("request_id", "in", idsOf(db, ids))
        // Not `unionAll`: requests of one answer have the same beginning.
        .union(
          with_
            .selectFrom("chain")
            .innerJoin("request_contents", (join) =>
              join
                .onRef("request_contents.request_id", "=", "chain.begins_as")
                .onRef("request_contents.thread_id", "=", "chain.thread_id"),
            )
            .selectAll("request_contents"),
        ),
    )
    .selectFrom("chain")
    .selectAll()
    .orderBy("request_id")
    .execute();
}

/** When these messages last changed. */
export async function findMessageTimes(db: Database, ids: string[]): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map();
  const found = await db.read
    .selectFrom("messages")
    .select(["id", "updated_at"])
    .where("id", "in", idsOf(db, ids))
    .execute();
  return new Map(found.map(({ id, updated_at: updatedAt }) => [id, updatedAt]));
}

/** The names of these files of the workspace. */
export async function findFileNames(
  db: Database,
  workspaceId: string,
  ids: string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const found = await db.read
    .selectFrom("files")
    .select(["id", "name"])
    .where("id", "in", idsOf(db, ids))
    .where("workspace_id", "=", workspaceId)
    .execute();
  return new Map(found.map(({ id, name }) => [id, name]));
}
