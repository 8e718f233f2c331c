import { limits } from "#contract/limits.ts";
import { cleanText, cutText } from "#contract/text.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { stagingWorkspace } from "../people/users/staging-workspace.ts";
import type { Clock } from "../lib/clock.ts";
import type { Live } from "../live/live.ts";
import type { Visitor } from "../lib/route.ts";
import { createLabels } from "./labels/labels.ts";
import { setTags } from "./labels/rows.ts";
import { presentThread, separateLabelNames } from "./present.ts";
import * as rows from "./rows.ts";

export type ImportedThread = {
  id: string;
  title: string | null;
  titleSource: rows.ThreadRow["title_source"];
  externalId: string | null;
  metadata: unknown;
  archived: boolean;
  pinned: boolean;
  assistantId: string | null;
  model: string | null;
  localOnly?: boolean;
  createdAtMs: number;
  updatedAtMs: number;
  lastMessageAtMs: number;
  deletedAtMs: number | null;
};

export type ThreadImport = ReturnType<typeof createThreadImport>;

/** Stores threads of an import, which keep their ids and times. */
export function createThreadImport(options: { db: Database; live: Live; clock: Clock }) {
  const { db, live, clock } = options;
  const labels = createLabels(options);

  async function clear(which: rows.StagedFilter): Promise<number> {
    return await db.write(async (tx) => await rows.deleteStaged(tx, which));
  }

  /** The folder and the tags that the metadata names. Those that are missing are created. */
  async function findLabels(tx: Tx, visitor: Visitor, metadata: unknown) {
    const { folder, tags } = separateLabelNames(metadata);
    const folders = folder === undefined ? [] : [folder];
    const [folderId = null] = await labels.findOrCreate(tx, visitor, "folder", folders);
    const tagIds = await labels.findOrCreate(tx, visitor, "tag", tags.slice(0, limits.tagsPerThread));
    return { folderId, tagIds };
  }

  return {
    /** Whether a thread with this id exists and whose it is; for the visitor's own, whether it is in the trash. */
    async find(visitor: Visitor, id: string): Promise<"absent" | "another's" | { inTrash: boolean }> {
      const row = await rows.findOwner(db, id);
      if (row === undefined) return "absent";
      return row.workspace_id === visitor.workspaceId ? { inTrash: row.deleted_at !== null } : "another's";
    },

    /**
     * In a transaction: creates the thread in its folder and with its tags; with `staged`, hidden and without them until
     * `publish`. Throws a unique violation if the id was taken in the meantime.
     */
    async insert(tx: Tx, visitor: Visitor, thread: ImportedThread, staged: boolean): Promise<void> {
      const nowMs = clock.now();
      const { stored } = separateLabelNames(thread.metadata);
      const { folderId, tagIds } = staged
        ? { folderId: null, tagIds: [] }
        : await findLabels(tx, visitor, thread.metadata);
      await rows.insertThread(tx, {
        id: thread.id,
        app_id: visitor.appId,
        workspace_id: staged ? await stagingWorkspace(tx, visitor.appId, nowMs) : visitor.workspaceId,
        external_id: thread.externalId === null ? null : cleanText(thread.externalId),
        title: thread.title === null ? null : cutText(cleanText(thread.title), limits.titleCharacters),
        title_source: thread.title === null ? null : thread.titleSource,
        last_message_at: thread.lastMessageAtMs,
        metadata: stored,
        folder_id: folderId,
        archived: thread.archived ? 1 : 0,
        pinned: thread.pinned ? 1 : 0,
        assistant_id: thread.assistantId === null ? null : cleanText(thread.assistantId),
        model: thread.model === null ? null : cleanText(thread.model),
        local_only: thread.localOnly === true ? 1 : null,
        request_hash: null,
        created_by: visitor.userId,
        created_at: thread.createdAtMs,
        updated_at: thread.updatedAtMs,
        // For a staged thread, the time of staging: it keeps the thread out of lists, and shows when it is abandoned.
        deleted_at: staged ? nowMs : thread.deletedAtMs,
      });
      await setTags(tx, thread.id, tagIds);
    },

    /** In a transaction: moves a staged thread to the visitor's workspace. */
    async publish(tx: Tx, visitor: Visitor, { id, metadata, deletedAtMs }: ImportedThread): Promise<void> {
      const { folderId, tagIds } = await findLabels(tx, visitor, metadata);
      const moved = { workspace_id: visitor.workspaceId, folder_id: folderId, deleted_at: deletedAtMs };
      await rows.updateThread(tx, id, moved);
      await setTags(tx, id, tagIds);
    },

    /** Publishes the thread in the workspace's feed. */
    async announce(tx: Tx, visitor: Visitor, id: string): Promise<void> {
      const row = await rows.findThread(tx.q, visitor.workspaceId, id);
      if (row === undefined) return;
      await live.announce(tx, visitor.workspaceId, [{ type: "thread-put", thread: presentThread(row) }]);
    },

    /** Deletes a staged thread that will not be published. */
    deleteStaged: async (id: string): Promise<void> => void (await clear({ id })),
    /** Deletes threads that were staged before `beforeMs`, by processes that have ended. Returns their number. */
    deleteStagedBefore: async (beforeMs: number) => await clear({ beforeMs }),
  };
}
