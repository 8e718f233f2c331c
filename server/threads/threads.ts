import type { BodyOf } from "#contract/api.ts";
import { defaultAssistantId, isId } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import { cleanText } from "#contract/text.ts";
import type { Thread } from "#contract/endpoints/threads.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import type { RowChange } from "#storage/database/tables.ts";
import type { Assistants } from "../assistants/assistants.ts";
import type { Clock } from "../lib/clock.ts";
import { AppError, badRequest } from "../lib/errors.ts";
import type { Live } from "../live/live.ts";
import type { AppKey } from "../lib/route.ts";
import { indexMessagesOf } from "../search/rows.ts";
import type { Quota } from "../quota/quota.ts";
import { writeOnce } from "../lib/write-once.ts";
import type { Bookmarks } from "./bookmarks.ts";
import { createThreadLists } from "./thread-lists.ts";
import { setLabels } from "./labels/labels.ts";
import { firstWords } from "./first-words.ts";
import { presentThread, separateLabelNames } from "./present.ts";
import { requestHash } from "../lib/request-hash.ts";
import { findThreadRules } from "./rule-rows.ts";
import * as rows from "./rows.ts";
import { findFirstText } from "./temporary-rows.ts";
import { createThreadTransactions, timeOf, type ThreadSelection } from "./thread-transactions.ts";
import type { ThreadScope } from "./thread-scope.ts";

export type Threads = ReturnType<typeof createThreads>;

export function createThreads(options: {
  db: Database;
  assistants: Pick<Assistants, "checkSelectable">;
  live: Live;
  clock: Clock;
  bookmarks: Bookmarks;
  quota: Quota;
}) {
  const { db, assistants, clock, bookmarks, quota } = options;
  const { insert, ...transactions } = createThreadTransactions(options);
  const { announce, lock, lockLasting } = transactions;

  async function change(
    scope: ThreadScope,
    id: string,
    changed: RowChange<"threads">,
    labels: Parameters<typeof setLabels>[3] = {},
    onlyLasting = false,
  ): Promise<void> {
    await db.write(async (tx) => {
      await (onlyLasting ? lockLasting(tx, scope, id) : lock(tx, scope, id));
      const folder = await setLabels(tx, scope, id, labels);
      await rows.updateThread(tx, id, { ...changed, ...folder, updated_at: clock.now() });
      if (changed.metadata != null) await quota.checkThread(tx, id);
      await announce(tx, scope, id);
    });
  }

  /** Moves a locked thread to the trash; `isErased`: it is due to be erased. */
  async function trash(
    tx: Tx,
    scope: ThreadScope,
    id: string,
    { isErased }: { isErased: boolean },
  ): Promise<void> {
    const nowMs = clock.now();
    const end = isErased ? { temporary_until: nowMs } : {};
    await rows.updateThread(tx, id, { deleted_at: nowMs, updated_at: nowMs, ...end });
    await announce(tx, scope, id);
  }

  /**
   * Postpones the erasure of a temporary thread, has it erased, or makes it an ordinary one with a title. Throws
   * `bad-request`.
   */
  async function changeEnd(
    scope: ThreadScope,
    id: string,
    temporary: NonNullable<BodyOf<"threads.update">["temporary"]>,
  ): Promise<void> {
    await db.write(async (tx) => {
      if ((await lock(tx, scope, id)).temporary_until === null)
        throw badRequest("body.temporary", "must be left out: this thread is not temporary");
      if (temporary === "erase") return await trash(tx, scope, id, { isErased: true });
      if (temporary !== "keep") {
        const inMs = temporary === "open" ? limits.temporaryOpenMs : limits.temporaryClosingMs;
        return await rows.updateThread(tx, id, { temporary_until: clock.now() + inMs });
      }
      const title = firstWords((await findFirstText(tx, id)) ?? "");
      await rows.updateThread(tx, id, {
        temporary_until: null,
        updated_at: clock.now(),
        ...(title === "" ? {} : { title, title_source: "fallback" }),
      });
      await indexMessagesOf(tx, id);
      await announce(tx, scope, id);
    });
  }

  /** The thread that a request to create one means, if it exists. Throws `conflict` for an id that is taken. */
  async function findExisting(
    tx: Tx,
    scope: ThreadScope,
    body: BodyOf<"threads.create">,
    hash: string | null,
  ) {
    if (body.id !== undefined) {
      const existing = await rows.findThreadAnywhere(tx, body.id);
      if (existing?.workspace_id === scope.workspaceId && existing.request_hash === hash) return existing;
      if (existing !== undefined) throw new AppError("conflict");
    }
    if (body.upsert !== true || body.external_id == null) return undefined;
    // External ids are not unique, so no index prevents two concurrent requests from creating a thread each.
    await rows.lockWorkspace(tx, scope.workspaceId);
    return await rows.findByExternalId(tx, scope.workspaceId, cleanText(body.external_id));
  }

  return {
    ...createThreadLists({ db, bookmarks }),
    ...transactions,

    /** Whether a thread with this id is in the key's app and not in the trash. */
    async isInApp(key: AppKey, id: string): Promise<boolean> {
      const row = await rows.findThreadIn(db.read, { of: "app_id", id: key.appId }, id);
      return row !== undefined && row.deleted_at === null;
    },

    /** Throws `thread-not-found`, also for a thread in the trash. */
    async get(scope: ThreadScope, id: string): Promise<Thread> {
      const row = await rows.findThread(db.read, scope.workspaceId, id);
      if (row === undefined || row.deleted_at !== null) throw new AppError("thread-not-found");
      return presentThread(row, scope.memberAccess);
    },

    /**
     * Creates a thread, or returns the existing one (`created` is false): for a repeated request with an id chosen by the
     * client, and for `upsert` with an external id. Throws `conflict` for an id that is taken, and `quota-full`.
     */
    async create(
      scope: ThreadScope,
      body: BodyOf<"threads.create">,
    ): Promise<{ id: string; created: boolean }> {
      if (body.id !== undefined && !isId("thread", body.id))
        throw badRequest("body.id", "must be a thread id: thread_0 and 24 characters");
      const hash = body.id === undefined ? null : requestHash(body);
      return await writeOnce(db, async (tx) => {
        const existing = await findExisting(tx, scope, body, hash);
        if (existing !== undefined) return { id: existing.id, created: false };
        const id = await insert(tx, scope, body, hash);
        await quota.checkThread(tx, id);
        return { id, created: true };
      });
    },

    /**
     * Throws `thread-not-found`, `label-not-found`, `quota-full`, and `assistant-not-found` for an assistant that cannot be
     * selected.
     */
    async update(scope: ThreadScope, id: string, body: BodyOf<"threads.update">): Promise<void> {
      if (body.temporary !== undefined) return await changeEnd(scope, id, body.temporary);
      const changed: RowChange<"threads"> = {};
      if (body.title !== undefined)
        Object.assign(changed, { title: cleanText(body.title), title_source: "person" });
      if (body.last_message_at !== undefined)
        changed.last_message_at = timeOf(body.last_message_at, clock.now());
      if (body.metadata !== undefined) changed.metadata = separateLabelNames(body.metadata).stored;
      if (body.is_archived !== undefined) changed.archived = body.is_archived ? 1 : 0;
      if (body.is_pinned !== undefined) changed.pinned = body.is_pinned ? 1 : 0;
      if (body.assistant_id !== undefined) {
        if (body.assistant_id !== null) await assistants.checkSelectable(scope.appId, body.assistant_id);
        changed.assistant_id = body.assistant_id === defaultAssistantId ? null : body.assistant_id;
      }
      if (body.model !== undefined) changed.model = body.model && cleanText(body.model);
      if (body.reasoning_effort !== undefined) changed.reasoning_effort = body.reasoning_effort;
      if (body.local_only !== undefined) changed.local_only = body.local_only ? 1 : null;
      await change(scope, id, changed, body, !isForTemporary(body));
    },

    /** Whether only models in the operator's own network may answer in the thread. False if it does not exist. */
    async isLocalOnly(id: string): Promise<boolean> {
      return (await findThreadRules(db, id)).isLocalOnly;
    },

    /** The thread's selection, and whether only local models may answer; `undefined` if the thread does not exist. */
    async findSelection(
      scope: ThreadScope,
      id: string,
    ): Promise<(ThreadSelection & { isLocalOnly: boolean }) | undefined> {
      const row = await rows.findThreadIn(db.read, { of: "workspace_id", id: scope.workspaceId }, id);
      if (row === undefined) return undefined;
      const { assistant_id: assistantId, model, reasoning_effort: effort } = row;
      return { assistantId, model, effort, isLocalOnly: row.local_only === 1 };
    },

    /**
     * Moves the thread to the trash. A temporary one is due to be erased instead, and `isErased` is true. Throws
     * `thread-not-found` for a thread that is there already.
     */
    async remove(scope: ThreadScope, id: string): Promise<{ isErased: boolean }> {
      return await db.write(async (tx) => {
        const isErased = (await lock(tx, scope, id)).temporary_until !== null;
        await trash(tx, scope, id, { isErased });
        return { isErased };
      });
    },

    async restore(scope: ThreadScope, id: string): Promise<Thread> {
      await db.write(async (tx) => {
        const row = await rows.lockThread(tx, scope.workspaceId, id);
        if (row === undefined || row.temporary_until !== null) throw new AppError("thread-not-found");
        await rows.updateThread(tx, id, { deleted_at: null, updated_at: clock.now() });
        await announce(tx, scope, id);
      });
      return await this.get(scope, id);
    },

    /**
     * Sets the title of a thread that has none. A model's title also replaces a fallback title, but never a person's or
     * another model's. Returns the title that the thread has then.
     */
    async setTitleOnce(
      scope: ThreadScope,
      id: string,
      title: string,
      source: "model" | "fallback",
    ): Promise<string | null> {
      return await db.write(async (tx) => {
        const row = await rows.lockThread(tx, scope.workspaceId, id);
        if (row === undefined || row.deleted_at !== null || row.temporary_until !== null) return null;
        const isReplaceable = row.title === null || (row.title_source === "fallback" && source === "model");
        if (!isReplaceable) return row.title;
        await rows.updateThread(tx, id, { title, title_source: source, updated_at: clock.now() });
        await announce(tx, scope, id);
        return title;
      });
    },
  };
}

/** What can be changed in a temporary thread: what answers, not how it is kept. */
const changesOfTemporary = new Set(["assistant_id", "model", "reasoning_effort", "local_only"]);

function isForTemporary(body: BodyOf<"threads.update">): boolean {
  return Object.keys(body).every((field) => changesOfTemporary.has(field));
}
