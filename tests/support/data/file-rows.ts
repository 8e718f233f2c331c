import { newId } from "#contract/ids.ts";
import { ensureFirstApp, owner } from "#server/apps/first-app.ts";
import type { Database } from "#storage/database/database.ts";
import type { NewRow } from "#storage/database/tables.ts";
import { threadRow } from "#storage/testing/rows.ts";

/** Stores files that a message refers to. Returns their ids. */
export async function seedFiles(
  db: Database,
  names: string[],
  more: Partial<NewRow<"files">> = {},
): Promise<string[]> {
  const nowMs = Date.now();
  await ensureFirstApp(db, nowMs);
  const { appId, workspaceId } = owner;
  const thread = threadRow({ app_id: appId, workspace_id: workspaceId }, nowMs);
  return await db.write(async (tx) => {
    await tx.q.insertInto("threads").values(thread).execute();
    const ids: string[] = [];
    for (const name of names) {
      const id = newId("file");
      const blobKey = `blob/${id}`;
      await tx.q
        .insertInto("blobs")
        .values({
          key: blobKey,
          workspace_id: workspaceId,
          sha256: id,
          size_bytes: 9,
          created_at: nowMs,
        })
        .execute();
      await tx.q
        .insertInto("files")
        .values({
          id,
          app_id: appId,
          workspace_id: workspaceId,
          created_by: "ada",
          name,
          secret: "secret",
          type: "text/plain",
          size_bytes: 9,
          blob_key: blobKey,
          created_at: nowMs,
          ...more,
        })
        .execute();
      await tx.q
        .insertInto("file_claims")
        .values({ file_id: id, message_id: newId("message"), thread_id: thread.id })
        .execute();
      ids.push(id);
    }
    return ids;
  });
}
