import { newId } from "#contract/ids.ts";
import { openDatabase } from "#storage/database/open.ts";
import type { NewRow } from "#storage/database/tables.ts";
import { messageRow, threadRow, workspaceRow } from "#storage/testing/rows.ts";
import { ensureFirstApp, owner } from "#server/apps/first-app.ts";
import type { ServerPlace } from "../servers/server.ts";

/**
 * Stores a thread with one branch of `length` messages, alternately of the user and the assistant, before a server opens
 * the database. Their texts are `message 0` and so on. Returns the ids of the thread and of the messages, oldest first.
 */
export async function seedLongThread(
  place: ServerPlace,
  workspaceName: string,
  length: number,
): Promise<{ threadId: string; messageIds: string[] }> {
  const db = await openDatabase(place);
  try {
    const nowMs = Date.now();
    await ensureFirstApp(db, nowMs);
    const workspace = workspaceRow(owner.appId, workspaceName, nowMs);
    const thread = threadRow({ app_id: owner.appId, workspace_id: workspace.id }, nowMs);
    const messageIds = Array.from({ length }, (_, height) => newId("message", nowMs + height));
    await db.write(async (tx) => {
      await tx.q.insertInto("workspaces").values(workspace).execute();
      await tx.q.insertInto("threads").values(thread).execute();
      for (let from = 0; from < length; from += 500) {
        const rows = messageIds
          .slice(from, from + 500)
          .map((id, index) => row(thread.id, id, messageIds[from + index - 1] ?? null, from + index, nowMs));
        await tx.q.insertInto("messages").values(rows).execute();
      }
    });
    return { threadId: thread.id, messageIds };
  } finally {
    await db.close();
  }
}

function row(
  threadId: string,
  id: string,
  parentId: string | null,
  height: number,
  nowMs: number,
): NewRow<"messages"> {
  const role = height % 2 === 0 ? ("user" as const) : ("assistant" as const);
  const text = `message ${height}`;
  return {
    ...messageRow(threadId, text, nowMs + height),
    id,
    parent_id: parentId,
    height,
    role,
    content: JSON.stringify({ role, content: [{ type: "text", text }] }),
    status_reason: "stop",
  };
}
