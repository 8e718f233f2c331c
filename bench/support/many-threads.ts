import { newId } from "#contract/ids.ts";
import { ensureFirstApp, owner } from "#server/apps/first-app.ts";
import { openDatabase } from "#storage/database/open.ts";
import { threadRow, workspaceRow } from "#storage/testing/rows.ts";

/** Stores `count` threads in a new workspace, before a server opens the database. Returns the workspace's internal id. */
export async function makeThreads(dataDir: string, workspaceName: string, count: number): Promise<string> {
  const db = await openDatabase({ dataDir });
  try {
    const nowMs = Date.now();
    await ensureFirstApp(db, nowMs);
    const workspace = workspaceRow(owner.appId, workspaceName, nowMs);
    const scope = { app_id: owner.appId, workspace_id: workspace.id };
    await db.write(async (tx) => {
      await tx.q.insertInto("workspaces").values(workspace).execute();
      for (let from = 0; from < count; from += 500) {
        const rows = Array.from({ length: 500 }, (_, index) => ({
          ...threadRow(scope, nowMs),
          id: newId("thread", nowMs - from - index),
          title: `Thread ${from + index}`,
          last_message_at: nowMs - (from + index) * 1_000,
        }));
        await tx.q.insertInto("threads").values(rows).execute();
      }
    });
    return workspace.id;
  } finally {
    await db.close();
  }
}
