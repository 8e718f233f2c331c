import type { Database } from "#storage/database/database.ts";
import { filesOfThread } from "#server/files/mention-rows.ts";
import { isShared } from "#server/threads/members/rows.ts";

/** In a thread that is shared with people, models read only its own files; `undefined` for other threads. */
export async function sharedScope(
  db: Database,
  threadId: string,
): Promise<{ onlyFiles: Set<string> } | undefined> {
  if (!(await isShared(db.read, threadId))) return undefined;
  return { onlyFiles: new Set(await filesOfThread(db, threadId)) };
}
