import type { Database, Tx } from "#storage/database/database.ts";
import type { Clock } from "../lib/clock.ts";
import { isDeepStrictEqual } from "node:util";
import { allowedToolsOf } from "./present.ts";
import { findAllowedTools, type AllowedTool } from "./rule-rows.ts";
import * as rows from "./rows.ts";
import type { ThreadScope } from "./thread-scope.ts";
import type { Threads } from "./threads.ts";

export type AllowedTools = ReturnType<typeof createAllowedTools>;

/**
 * The tools that may run in a thread without approval, as they were when a person allowed them. The permission is personal:
 * a thread that moves to another workspace loses it.
 */
export function createAllowedTools(options: {
  db: Database;
  clock: Clock;
  threads: Pick<Threads, "lock" | "announce">;
}) {
  const { db, clock, threads } = options;

  async function change(
    tx: Tx,
    scope: ThreadScope,
    threadId: string,
    next: (tools: AllowedTool[]) => AllowedTool[],
  ) {
    await threads.lock(tx, scope, threadId);
    const row = await rows.findThreadAnywhere(tx, threadId);
    if (row === undefined) return;
    const before = allowedToolsOf(row);
    const after = next(before);
    if (isDeepStrictEqual(after, before)) return;
    await rows.updateThread(tx, threadId, {
      allowed_tools: after.length === 0 ? null : JSON.stringify(after),
      updated_at: clock.now(),
    });
    await threads.announce(tx, scope, threadId);
  }

  return {
    /** In another module's transaction; locks the thread. Throws `thread-not-found`. */
    async allow(tx: Tx, scope: ThreadScope, threadId: string, tool: AllowedTool): Promise<void> {
      await change(tx, scope, threadId, (tools) => [...tools.filter(({ name }) => name !== tool.name), tool]);
    },
    /** Requires approval again from the tool's next call on, also in a running answer. Throws `thread-not-found`. */
    async revoke(scope: ThreadScope, threadId: string, toolName: string): Promise<void> {
      await db.write(
        async (tx) =>
          await change(tx, scope, threadId, (tools) => tools.filter(({ name }) => name !== toolName)),
      );
    },
    /** The allowed tools of a thread of any workspace; empty if it does not exist. */
    async list(threadId: string): Promise<AllowedTool[]> {
      const row = await findAllowedTools(db, threadId);
      return row === undefined ? [] : allowedToolsOf(row);
    },
  };
}
