import { newId } from "#contract/ids.ts";
import { owner } from "#server/apps/first-app.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { messageRow, threadRow } from "#storage/testing/rows.ts";
import type { RetrievalFile, RetrievalThread } from "./retrieval-data.ts";

let storedMs = Date.UTC(2026, 0, 1);

/** Stores a thread and its file in the owner's workspace. Each thread is an hour later than the one before. */
export async function storeThread(db: Database, { title, messages, file }: RetrievalThread): Promise<void> {
  storedMs += 3_600_000;
  const nowMs = storedMs;
  const thread = threadRow({ app_id: owner.appId, workspace_id: owner.workspaceId }, nowMs);
  await db.write(async (tx) => {
    await tx.q
      .insertInto("threads")
      .values({ ...thread, title })
      .execute();
    let parentId: string | null = null;
    for (const [height, { role, text }] of messages.entries()) {
      const message = messageRow(thread.id, text, nowMs + height * 1_000);
      await tx.q
        .insertInto("messages")
        .values({ ...message, parent_id: parentId, height, role })
        .execute();
      if (height === 0 && file !== undefined)
        await attach(tx, file, { threadId: thread.id, messageId: message.id, nowMs });
      parentId = message.id;
    }
  });
}

/** Stores a file whose text has been extracted. */
async function attach(
  tx: Tx,
  { name, pages }: RetrievalFile,
  { threadId, messageId, nowMs }: { threadId: string; messageId: string; nowMs: number },
): Promise<void> {
  const id = newId("file");
  const blob = { workspace_id: owner.workspaceId, sha256: id, size_bytes: 1, created_at: nowMs };
  await tx.q
    .insertInto("blobs")
    .values({ key: id, ...blob })
    .execute();
  await tx.q
    .insertInto("files")
    .values({
      id,
      app_id: owner.appId,
      workspace_id: owner.workspaceId,
      created_by: owner.userId,
      name,
      secret: "",
      blob_key: id,
      created_at: nowMs,
    })
    .execute();
  await tx.q
    .insertInto("file_claims")
    .values({ file_id: id, message_id: messageId, thread_id: threadId })
    .execute();
  await tx.q
    .insertInto("file_texts")
    .values({
      blob_key: id,
      reader: 1,
      text: pages.join("\f"),
      is_cut: 0,
      pages: pages.length,
      created_at: nowMs,
    })
    .execute();
}
