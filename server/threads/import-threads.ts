import { limits } from "#contract/limits.ts";
import { cleanText, cutText } from "#contract/text.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { stagingWorkspace } from "../auth/staging-workspace.ts";
import type { Clock } from "../lib/clock.ts";
import type { Live } from "../live/live.ts";
import type { Visitor } from "../lib/route.ts";
import { presentThread } from "./present.ts";
import * as rows from "./rows.ts";

/** Threads that come from elsewhere, with ids and times of their own. */
export type BroughtThreads = {
  /** Whose a thread of this id is, if there is one; of one's own, whether it lies in the trash. */
  find(visitor: Visitor, id: string): Promise<"absent" | "another's" | { inTrash: boolean }>;
  /**
   * In a transaction: makes the thread; with `staged` where nobody sees it, until `show`. Throws a unique violation for
   * an id that is taken by now.
   */
  put(tx: Tx, visitor: Visitor, thread: BroughtThread, staged: boolean): Promise<void>;
  /** In a transaction: puts a staged thread where it belongs. */
  show(tx: Tx, visitor: Visitor, thread: BroughtThread): Promise<void>;
  /** Tells the workspace how the thread stands. */
  announce(tx: Tx, visitor: Visitor, id: string): Promise<void>;
  /** Clears away a staged thread that will not be shown. */
  drop(id: string): Promise<void>;
  /** Clears away what was staged before a moment, by processes that are no more. */
  sweep(beforeMs: number): Promise<number>;
};

export type BroughtThread = {
  id: string;
  title: string | null;
  titleSource: rows.ThreadRow["title_source"];
  externalId: string | null;
  metadata: unknown;
  archived: boolean;
  pinned: boolean;
  assistantId: string | null;
  model: string | null;
  createdAtMs: number;
  updatedAtMs: number;
  lastMessageAtMs: number;
  deletedAtMs: number | null;
};

export function createBroughtThreads(options: { db: Database; live: Live; clock: Clock }): BroughtThreads {
  const { db, live, clock } = options;

  async function clear(which: rows.Staged): Promise<number> {
    return await db.write(async (tx) => await rows.deleteStaged(tx, which));
  }

  return {
    async find(visitor, id) {
      const row = await rows.findWhoever(db, id);
      if (row === undefined) return "absent";
      return row.workspace_id === visitor.workspaceId ? { inTrash: row.deleted_at !== null } : "another's";
    },

    async put(tx, visitor, thread, staged) {
      const nowMs = clock.now();
      await rows.insertThread(tx, {
        id: thread.id,
        project_id: visitor.projectId,
        workspace_id: staged ? await stagingWorkspace(tx, visitor.projectId, nowMs) : visitor.workspaceId,
        external_id: thread.externalId === null ? null : cleanText(thread.externalId),
        title: thread.title === null ? null : cutText(cleanText(thread.title), limits.titleCharacters),
        title_source: thread.title === null ? null : thread.titleSource,
        last_message_at: thread.lastMessageAtMs,
        metadata: thread.metadata == null ? null : JSON.stringify(thread.metadata),
        archived: thread.archived ? 1 : 0,
        pinned: thread.pinned ? 1 : 0,
        assistant_id: thread.assistantId === null ? null : cleanText(thread.assistantId),
        model: thread.model === null ? null : cleanText(thread.model),
        request_hash: null,
        created_by: visitor.userId,
        created_at: thread.createdAtMs,
        updated_at: thread.updatedAtMs,
        // In no list, and when it was staged: what is left of it is known by that.
        deleted_at: staged ? nowMs : thread.deletedAtMs,
      });
    },

    async show(tx, visitor, { id, deletedAtMs }) {
      await rows.changeThread(tx, id, { workspace_id: visitor.workspaceId, deleted_at: deletedAtMs });
    },

    async announce(tx, visitor, id) {
      const row = await rows.findThread(tx.q, visitor.workspaceId, id);
      if (row === undefined) return;
      await live.announce(tx, visitor.workspaceId, [{ type: "thread-put", thread: presentThread(row) }]);
    },

    drop: async (id) => void (await clear({ id })),
    sweep: async (beforeMs) => await clear({ beforeMs }),
  };
}
