import type { Database } from "#storage/database/database.ts";
import { filesOfThread } from "#server/files/file-reference-rows.ts";
import { isShared } from "#server/threads/members/rows.ts";
import { ToolError, type Tool } from "#server/tools/tool.ts";

type SharedScope = { onlyFiles: Set<string> };

/** In a thread that is shared with people, models read only its own files; `undefined` for other threads. */
export async function sharedScope(db: Database, threadId: string): Promise<SharedScope | undefined> {
  return (await isShared(db.read, threadId)) ? await scopeOfShared(db, threadId) : undefined;
}

/** The scope of a thread that is shared. */
export async function scopeOfShared(db: Database, threadId: string): Promise<SharedScope> {
  return { onlyFiles: new Set(await filesOfThread(db, threadId)) };
}

/** A tool that reads other threads fails once the thread is shared with people, also during the answer. */
export function unlessShared(db: Database, threadId: string, tool: Tool): Tool {
  const { run } = tool;
  if (run === undefined || !tool.readsOtherThreads) return tool;
  async function requireUnshared(): Promise<void> {
    if (await isShared(db.read, threadId))
      throw new ToolError("This chat is shared with people, so other chats cannot be read in it.");
  }
  return {
    ...tool,
    async run(args, context) {
      await requireUnshared();
      const result = await run(args, context);
      await requireUnshared();
      return result;
    },
  };
}
