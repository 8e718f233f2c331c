import { newId } from "#contract/ids.ts";
import { ensureFirstRows, owner } from "#server/auth/first-rows.ts";
import { openDatabase } from "#storage/sql/open.ts";

/** Puts `count` threads into a workspace that an API key names, before a server opens the database. Answers its internal id. */
export async function makeThreads(dataDir: string, workspaceName: string, count: number): Promise<string> {
  const db = await openDatabase({ dataDir });
  try {
    const nowMs = Date.now();
    await ensureFirstRows(db, nowMs);
    const workspaceId = newId("workspace");
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
      for (let from = 0; from < count; from += 500) {
        const rows = Array.from({ length: 500 }, (_, index) => ({
          id: newId("thread", nowMs - from - index),
          project_id: projectId,
          workspace_id: workspaceId,
          title: `Thread ${from + index}`,
          last_message_at: nowMs - (from + index) * 1_000,
          archived: 0,
          pinned: 0,
          created_at: nowMs,
          updated_at: nowMs,
        }));
        await tx.q.insertInto("threads").values(rows).execute();
      }
    });
    return workspaceId;
  } finally {
    await db.close();
  }
}
