import { idsOf } from "#storage/database/portable-sql.ts";
import type { Database } from "#storage/database/database.ts";
import type { Row } from "#storage/database/tables.ts";

/** A request, and what it was made from if that is still stored. */
export type ReceiptRow = Row<"model_requests"> & {
  begins_as: string | null;
  begins_items: number | null;
  items: string | null;
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
    .leftJoin("request_contents", "request_contents.request_id", "model_requests.id")
    .selectAll("model_requests")
    .select(["begins_as", "begins_items", "items", "runs.is_blind"])
    .where("model_requests.workspace_id", "=", workspaceId)
    .where((is) => is.or([is("runs.id", "=", id), is("runs.reply_id", "=", replyId)]))
    .orderBy("model_requests.sent_at")
    .orderBy("model_requests.id")
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
