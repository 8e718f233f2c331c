import type { BodyOf } from "#contract/api.ts";
import { isId, newId } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import { cleanText } from "#contract/text.ts";
import type { Tx } from "#storage/database/database.ts";
import { type Clock, isoTime } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import type { Live } from "../live/live.ts";
import { filterIds as filterLabelIds } from "./labels/rows.ts";
import { presentThread, separateLabelNames } from "./present.ts";
import * as rows from "./rows.ts";
import type { ThreadScope } from "./thread-scope.ts";

/** The assistant, the model and the reasoning effort that are selected in a thread; null for the default ones. */
export type ThreadSelection = { assistantId: string | null; model: string | null; effort: string | null };

/** What transactions of this module and of others do with threads. */
export function createThreadTransactions({ live, clock }: { live: Live; clock: Clock }) {
  /** Publishes the thread in the feed. */
  async function announce(tx: Tx, scope: ThreadScope, id: string): Promise<void> {
    const row = await rows.findThread(tx.q, scope.workspaceId, id);
    if (row === undefined) return;
    await live.announce(tx, scope.workspaceId, [{ type: "thread-put", thread: presentThread(row) }]);
  }

  /** Locks the thread until the transaction ends. Throws `thread-not-found`, also for one in the trash. */
  async function lock(tx: Tx, scope: ThreadScope, id: string) {
    const row = await rows.lockThread(tx, scope.workspaceId, id);
    if (row === undefined || row.deleted_at !== null) throw new AppError("thread-not-found");
    return row;
  }

  /** Like `lock`, for what a temporary thread cannot do. Throws `thread-temporary`. */
  async function lockLasting(tx: Tx, scope: ThreadScope, id: string): Promise<void> {
    if ((await lock(tx, scope, id)).temporary_until !== null) throw new AppError("thread-temporary");
  }

  async function insert(
    tx: Tx,
    scope: ThreadScope,
    body: BodyOf<"threads.create">,
    hash: string | null,
    {
      isAnnounced = true,
      isTemporary = false,
      folderId,
    }: { isAnnounced?: boolean; isTemporary?: boolean; folderId?: string | undefined } = {},
  ): Promise<string> {
    const nowMs = clock.now();
    const id = body.id ?? newId("thread", nowMs);
    await rows.insertThread(tx, {
      id,
      app_id: scope.appId,
      workspace_id: scope.workspaceId,
      external_id: body.external_id == null ? null : cleanText(body.external_id),
      title: body.title === undefined ? null : cleanText(body.title),
      title_source: body.title === undefined ? null : "person",
      last_message_at: timeOf(body.last_message_at, nowMs),
      metadata: separateLabelNames(body.metadata).stored,
      archived: 0,
      pinned: 0,
      assistant_id: null,
      model: null,
      reasoning_effort: null,
      local_only: null,
      allowed_tools: null,
      request_hash: hash,
      created_by: scope.userId ?? null,
      created_at: nowMs,
      updated_at: nowMs,
      deleted_at: null,
      folder_id: folderId ?? null,
      temporary_until: isTemporary ? nowMs + limits.temporaryOpenMs : null,
    });
    if (isAnnounced) await announce(tx, scope, id);
    return id;
  }

  return {
    announce,
    lock,
    lockLasting,
    insert,

    /** Locks a thread of any workspace of the app, unless it is in the trash. */
    async lockInApp(
      tx: Tx,
      appId: string,
      id: string,
    ): Promise<{ id: string; workspaceId: string } | undefined> {
      await rows.lockThreads(tx, [id]);
      const row = await rows.findThreadToWrite(tx, appId, id);
      if (row === undefined || row.deleted_at !== null) return undefined;
      return { id, workspaceId: row.workspace_id };
    },

    /** Those of `ids` that are threads in this workspace and not in the trash. */
    filterOwnIds: async (tx: Tx, scope: ThreadScope, ids: string[]) =>
      await rows.filterOwnIds(tx, scope.workspaceId, ids),

    /**
     * Locks these threads until the transaction ends, in any workspace and also in the trash. Must be the first lock: a
     * transaction that locks a run or message before its thread can cause a deadlock.
     */
    lockAll: async (tx: Tx, ids: readonly string[]): Promise<void> => await rows.lockThreads(tx, ids),

    /**
     * Like `lock`, but first creates the thread if the client chose its id and it does not exist. A folder that is gone is
     * ignored.
     */
    async lockOrCreate(
      tx: Tx,
      scope: ThreadScope,
      id: string,
      { temporary, folder_id: wanted }: { temporary?: boolean | undefined; folder_id?: string | undefined },
    ): Promise<void> {
      const existing = await rows.findThreadAnywhere(tx, id);
      if (existing === undefined && isId("thread", id)) {
        // Not announced here: the caller calls `touch` later in the transaction, which announces the final state.
        const body = { id, last_message_at: isoTime(clock.now()) };
        const isTemporary = temporary === true;
        const [folderId] =
          wanted === undefined || isTemporary
            ? []
            : await filterLabelIds(tx, scope.workspaceId, "folder", [wanted]);
        await insert(tx, scope, body, null, { isAnnounced: false, isTemporary, folderId });
      } else {
        await lock(tx, scope, id);
      }
    },

    /**
     * With the thread locked: gives it the first words of its first message as its title, if it has none; a temporary one
     * gets none.
     */
    async setFallbackTitle(tx: Tx, id: string, title: string): Promise<void> {
      if (title !== "") await rows.setFallbackTitle(tx, id, title);
    },

    /** Stores the thread's selection. */
    async setSelection(
      tx: Tx,
      scope: ThreadScope,
      id: string,
      selection: Partial<ThreadSelection>,
    ): Promise<void> {
      if (Object.keys(selection).length === 0) return;
      const row = await lock(tx, scope, id);
      const { assistantId = row.assistant_id, model = row.model, effort = row.reasoning_effort } = selection;
      if (assistantId === row.assistant_id && model === row.model && effort === row.reasoning_effort) return;
      await rows.updateThread(tx, id, {
        assistant_id: assistantId,
        model: model && cleanText(model),
        reasoning_effort: effort,
      });
      await announce(tx, scope, id);
    },

    /** With the thread locked: sets the time of its last message to `nowMs`, and publishes it in the feed. */
    async touch(tx: Tx, scope: ThreadScope, id: string, nowMs: number): Promise<void> {
      await rows.raiseLastMessageAt(tx, id, nowMs);
      await announce(tx, scope, id);
    },
  };
}

/** Accepts at most a day in the future: a thread dated next year would be first in the list until then. */
export function timeOf(instant: string, nowMs: number): number {
  return Math.min(Math.max(Date.parse(instant), 0), nowMs + 24 * 3_600_000);
}
