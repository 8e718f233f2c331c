import type { Database, Tx } from "#storage/database/database.ts";
import { forUpdate, idsOf } from "#storage/database/portable-sql.ts";
import { sql } from "#storage/database/sql.ts";
import type { FileRow } from "./rows.ts";

/** The SQL of which messages speak of which files. */

/** Those of `ids` that are in the workspace, held until the transaction ends: none of them is swept meanwhile. */
export async function holdFiles(
  tx: Tx,
  workspaceId: string,
  ids: string[],
): Promise<Pick<FileRow, "id" | "secret" | "workspace_id" | "created_by">[]> {
  const query = tx.q
    .selectFrom("files")
    .select(["id", "secret", "workspace_id", "created_by"])
    .where("id", "in", idsOf(tx, ids))
    // As a calculation: SQLite would read all files of the workspace for these few.
    .where(sql`workspace_id || ''`, "=", workspaceId)
    .orderBy("id");
  return await forUpdate(tx, query).execute();
}

export type Claim = { file_id: string; message_id: string; thread_id: string };

/** Rows of one statement: each is three values, and engines count them. */
const claimsAtOnce = 1_000;

export async function insertClaims(tx: Tx, claims: Claim[], nowMs: number): Promise<void> {
  for (let from = 0; from < claims.length; from += claimsAtOnce)
    await tx.q
      .insertInto("file_claims")
      .values(claims.slice(from, from + claimsAtOnce))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  const fileIds = [...new Set(claims.map((claim) => claim.file_id))];
  await tx.q
    .updateTable("files")
    .set({ claimed_at: nowMs, released_at: null })
    .where("id", "in", idsOf(tx, fileIds))
    .execute();
}

/** The files that these messages speak of and that are of their own workspace: nothing else is ever claimed. */
export async function claimedBy(
  from: Pick<Tx, "engine" | "q">,
  messageIds: readonly string[],
): Promise<Set<string>> {
  const found = await from.q
    .selectFrom("file_claims")
    .select("file_id")
    .distinct()
    .where("message_id", "in", idsOf(from, messageIds))
    .execute();
  return new Set(found.map((row) => row.file_id));
}

/** The files that a thread's messages speak of, those that wait for their turn left out. */
export async function filesSpokenOf(db: Database, threadId: string): Promise<string[]> {
  const found = await db.readWorker
    .selectFrom("file_claims")
    .innerJoin("messages", "messages.id", "file_claims.message_id")
    .select("file_claims.file_id")
    .distinct()
    .where("file_claims.thread_id", "=", threadId)
    .orderBy("file_claims.file_id")
    .execute();
  return found.map((row) => row.file_id);
}

/** Of a message that speaks of these files and no others from now on. */
export async function releaseOthers(
  tx: Tx,
  messageId: string,
  fileIds: string[],
  nowMs: number,
): Promise<void> {
  const gone = await tx.q
    .deleteFrom("file_claims")
    .where("message_id", "=", messageId)
    .where("file_id", "not in", idsOf(tx, fileIds))
    .returning("file_id")
    .execute();
  if (gone.length === 0) return;
  await tx.q
    .updateTable("files")
    .set({ released_at: nowMs })
    .where(
      "id",
      "in",
      idsOf(
        tx,
        gone.map((row) => row.file_id),
      ),
    )
    .execute();
}

/** Holds the files of a workspace, and then both workspaces: whoever brings a file holds them in that order. */
export async function holdForMove(tx: Tx, from: string, to: string): Promise<void> {
  const files = tx.q.selectFrom("files").select("id").where("workspace_id", "=", from).orderBy("id");
  await forUpdate(tx, files).execute();
  const workspaces = tx.q.selectFrom("workspaces").select("id").where("id", "in", [from, to]).orderBy("id");
  await forUpdate(tx, workspaces).execute();
}

/** The blobs of one workspace whose bytes another has too, with the key that they have there. */
export async function blobsInBoth(
  tx: Tx,
  from: string,
  to: string,
): Promise<{ key: string; thumbnail_key: string | null; thereKey: string }[]> {
  return await tx.q
    .selectFrom("blobs as ours")
    .innerJoin("blobs as theirs", (join) =>
      join
        .onRef("theirs.sha256", "=", "ours.sha256")
        .onRef("theirs.size_bytes", "=", "ours.size_bytes")
        .on("theirs.workspace_id", "=", to),
    )
    .select((is) => ["ours.key", "ours.thumbnail_key", is.fn.min("theirs.key").as("thereKey")])
    .where("ours.workspace_id", "=", from)
    .groupBy(["ours.key", "ours.thumbnail_key"])
    .orderBy("ours.key")
    .execute();
}

/** The files that had one blob have the other from now on. */
export async function changeBlob(tx: Tx, from: string, to: string): Promise<void> {
  await tx.q.updateTable("files").set({ blob_key: to }).where("blob_key", "=", from).execute();
}

/** What `from` has in one workspace is `to`'s, in another, from now on. Answers how many files that were. */
export async function moveRows(
  tx: Tx,
  from: { workspaceId: string; userId: string },
  to: { workspaceId: string; userId: string },
): Promise<number> {
  const moved = await tx.q
    .updateTable("files")
    .set({ workspace_id: to.workspaceId, created_by: to.userId })
    .where("workspace_id", "=", from.workspaceId)
    .executeTakeFirst();
  await tx.q
    .updateTable("blobs")
    .set({ workspace_id: to.workspaceId })
    .where("workspace_id", "=", from.workspaceId)
    .execute();
  return Number(moved.numUpdatedRows);
}
