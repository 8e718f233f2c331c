import { newId } from "#contract/ids.ts";
import { openDatabase } from "#storage/sql/open.ts";
import type { NewRow } from "#storage/sql/tables.ts";
import { ensureFirstRows, owner } from "#server/auth/first-rows.ts";
import type { ServerPlace } from "./server.ts";

/**
 * Puts a thread with one branch of `length` messages into a place before a server opens it; what a person and an
 * assistant said by turns, `message 0` and on. Answers the thread's id and the messages' from the top down.
 */
export async function seedLongThread(
  place: ServerPlace,
  workspaceName: string,
  length: number,
): Promise<{ threadId: string; messageIds: string[] }> {
  const db = await openDatabase(place);
  try {
    const nowMs = Date.now();
    await ensureFirstRows(db, nowMs);
    const workspaceId = newId("workspace");
    const threadId = newId("thread");
    const messageIds = Array.from({ length }, (_, height) => newId("message", nowMs + height));
    await db.write(async (tx) => {
      const { projectId } = owner;
      await tx.q
        .insertInto("workspaces")
        .values({
          id: workspaceId,
          project_id: projectId,
          realm: "external",
          name: workspaceName,
          created_at: nowMs,
        })
        .execute();
      await tx.q
        .insertInto("threads")
        .values({
          id: threadId,
          project_id: projectId,
          workspace_id: workspaceId,
          last_message_at: nowMs,
          archived: 0,
          pinned: 0,
          created_at: nowMs,
          updated_at: nowMs,
        })
        .execute();
      for (let from = 0; from < length; from += 500) {
        const rows = messageIds
          .slice(from, from + 500)
          .map((id, index) => row(threadId, id, messageIds[from + index - 1] ?? null, from + index, nowMs));
        await tx.q.insertInto("messages").values(rows).execute();
      }
    });
    return { threadId, messageIds };
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
    id,
    thread_id: threadId,
    external_id: null,
    parent_id: parentId,
    height,
    role,
    format: "aui/v0",
    content: JSON.stringify({ role, content: [{ type: "text", text }] }),
    plain_text: text,
    status: "complete",
    status_reason: "stop",
    error_code: null,
    run_id: null,
    created_at: nowMs + height,
    updated_at: nowMs + height,
  };
}
