import type { BodyOf, QueryOf } from "#contract/api.ts";
import { defaultAssistantId, isId, newId } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import { cleanText } from "#contract/text.ts";
import type { Thread } from "#contract/endpoints/threads.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import type { RowChange } from "#storage/database/tables.ts";
import type { Assistants } from "../assistants/assistants.ts";
import type { Clock } from "../lib/clock.ts";
import { AppError, badRequest } from "../lib/errors.ts";
import type { Live } from "../live/live.ts";
import type { ProjectKey, Visitor } from "../lib/route.ts";
import { writeOnce } from "../lib/write-once.ts";
import { listName, type Bookmarks } from "./bookmarks.ts";
import { presentThread } from "./present.ts";
import { requestHash } from "../lib/request-hash.ts";
import * as rows from "./rows.ts";

/** Whose threads: every question is bounded by the workspace, so that another's thread is as good as none. */
export type Place = Pick<Visitor, "projectId" | "workspaceId"> & { userId?: string };

export type Threads = {
  /** Throws `bad-cursor`. */
  list(place: Place, query: QueryOf<"threads.list">): Promise<Thread[]>;
  /** The same over every workspace of the key's project. */
  listOfProject(key: ProjectKey, query: QueryOf<"threads.list">): Promise<Thread[]>;
  /** Whether a thread of this id is in the key's project and not in the trash. */
  isInProject(key: ProjectKey, id: string): Promise<boolean>;
  /** Every thread of the workspace, those of the archive and the trash too, oldest first. */
  all(place: Place): AsyncGenerator<Thread>;
  /** Throws `thread-not-found`, also for one in the trash. */
  get(place: Place, id: string): Promise<Thread>;
  /**
   * A new thread, or the one that is already there: for an id minted by the client and the same request again, and for
   * `upsert` with an external id. `made` says which. Throws `conflict` for an id that is taken.
   */
  create(place: Place, body: BodyOf<"threads.create">): Promise<{ id: string; made: boolean }>;
  /** Throws `thread-not-found`, and `assistant-not-found` for one that cannot be chosen. */
  update(place: Place, id: string, change: BodyOf<"threads.update">): Promise<void>;
  /** Who answers in the thread; `undefined` where it is not there. */
  choiceOf(place: Place, id: string): Promise<ThreadChoice | undefined>;
  /** Moves the thread to the trash. Throws `thread-not-found` for one that is there already. */
  remove(place: Place, id: string): Promise<void>;
  restore(place: Place, id: string): Promise<Thread>;
  /**
   * Gives a thread its title, once: a person's or a model's title stays, only the first words that stood in for one
   * give way to a model's. Answers the title that stands.
   */
  titleOnce(place: Place, id: string, title: string, source: "model" | "fallback"): Promise<string | null>;

  /** In another room's transaction: holds a thread of any workspace of the project, where it is not in the trash. */
  holdInProject(
    tx: Tx,
    projectId: string,
    id: string,
  ): Promise<{ id: string; workspaceId: string } | undefined>;
  /** In another room's transaction: those of `ids` that are threads of this workspace and not in the trash. */
  ownIds(tx: Tx, place: Place, ids: string[]): Promise<Set<string>>;
  /**
   * In another room's transaction: holds these threads until its end, whosever they are and however they stand. What
   * else it holds comes after: who holds a run or a message before its thread may wait for another that waits for it.
   */
  holdAll(tx: Tx, ids: readonly string[]): Promise<void>;
  /** In another room's transaction: holds the thread until its end. Throws `thread-not-found`. */
  hold(tx: Tx, place: Place, id: string): Promise<void>;
  /** The same, and makes the thread first where the client minted its id and it is not there yet. */
  holdOrMake(tx: Tx, place: Place, id: string): Promise<void>;
  /** In another room's transaction: titles an untitled thread with the first words said in it, until a better one comes. */
  standInTitle(tx: Tx, place: Place, id: string, words: string): Promise<void>;
  /** In another room's transaction: remembers who is to answer in the thread from now on. */
  choose(tx: Tx, place: Place, id: string, choice: Partial<ThreadChoice>): Promise<void>;
  /** Notes that something was said at `nowMs`, and tells the feed how the thread stands now. */
  touch(tx: Tx, place: Place, id: string, nowMs: number): Promise<void>;
  /** Tells the feed how the thread stands now. */
  announce(tx: Tx, place: Place, id: string): Promise<void>;
};

/** The assistant and the model of a thread's own; null for the default ones. */
export type ThreadChoice = { assistantId: string | null; model: string | null };

export function createThreads(options: {
  db: Database;
  assistants: Pick<Assistants, "check">;
  live: Live;
  clock: Clock;
  bookmarks: Bookmarks;
}): Threads {
  const { db, assistants, live, clock, bookmarks } = options;

  async function announce(tx: Tx, place: Place, id: string): Promise<void> {
    const row = await rows.findThread(tx.q, place.workspaceId, id);
    if (row === undefined) return;
    await live.announce(tx, place.workspaceId, [{ type: "thread-put", thread: presentThread(row) }]);
  }

  async function hold(tx: Tx, place: Place, id: string) {
    const row = await rows.lockThread(tx, place.workspaceId, id);
    if (row === undefined || row.deleted_at !== null) throw new AppError("thread-not-found");
    return row;
  }

  async function change(place: Place, id: string, changed: RowChange<"threads">): Promise<void> {
    await db.write(async (tx) => {
      await hold(tx, place, id);
      await rows.changeThread(tx, id, { ...changed, updated_at: clock.now() });
      await announce(tx, place, id);
    });
  }

  async function make(
    tx: Tx,
    place: Place,
    body: BodyOf<"threads.create">,
    hash: string | null,
    { isAnnounced = true } = {},
  ): Promise<string> {
    const nowMs = clock.now();
    const id = body.id ?? newId("thread", nowMs);
    await rows.insertThread(tx, {
      id,
      project_id: place.projectId,
      workspace_id: place.workspaceId,
      external_id: body.external_id == null ? null : cleanText(body.external_id),
      title: body.title === undefined ? null : cleanText(body.title),
      title_source: body.title === undefined ? null : "person",
      last_message_at: momentOf(body.last_message_at, nowMs),
      metadata: body.metadata == null ? null : JSON.stringify(body.metadata),
      archived: 0,
      pinned: 0,
      assistant_id: null,
      model: null,
      allowed_tools: null,
      request_hash: hash,
      created_by: place.userId ?? null,
      created_at: nowMs,
      updated_at: nowMs,
      deleted_at: null,
    });
    if (isAnnounced) await announce(tx, place, id);
    return id;
  }

  /** A page of threads; `reader` is whose walk over the pages this is. */
  async function listPage(
    scope: rows.Scope,
    reader: string,
    query: QueryOf<"threads.list">,
  ): Promise<Thread[]> {
    const archived = query.is_archived ?? false;
    const list = listName(scope.of, scope.id, reader, archived, query.external_id);
    const limit = query.limit ?? limits.threadPage;
    const after = query.after === undefined ? undefined : await positionOf(scope, list, query.after);
    const page = await rows.listThreads(db, {
      scope,
      archived,
      externalId: query.external_id,
      pinned: query.is_pinned,
      after,
      limit,
    });
    if (page.length === limit)
      bookmarks.put(
        list,
        page.map((row) => ({ id: row.id, position: row.last_message_at })),
      );
    return page.map(presentThread);
  }

  /** A client's clock may run fast, but not by more than a day: a thread of next year would head the list until then. */
  function momentOf(instant: string, nowMs: number): number {
    return Math.min(Math.max(Date.parse(instant), 0), nowMs + 24 * 3_600_000);
  }

  /** Where a cursor stood when its page was served; archived, deleted and moved ones keep that place. Else where it is. */
  async function positionOf(scope: rows.Scope, list: string, id: string): Promise<rows.ThreadPosition> {
    const served = await bookmarks.find(list, id);
    if (served !== undefined) return { lastMessageAt: served, id };
    const row = await rows.findThreadIn(db.read, scope, id);
    if (row === undefined) throw new AppError("bad-cursor");
    return { lastMessageAt: row.last_message_at, id };
  }

  return {
    list: async (place, query) =>
      await listPage({ of: "workspace_id", id: place.workspaceId }, place.userId ?? "", query),
    listOfProject: async (key, query) =>
      await listPage({ of: "project_id", id: key.projectId }, key.credentialId, query),

    async isInProject(key, id) {
      const row = await rows.findThreadIn(db.read, { of: "project_id", id: key.projectId }, id);
      return row !== undefined && row.deleted_at === null;
    },

    async *all(place) {
      const ids = await rows.listThreadIds(db, place.workspaceId);
      for (let from = 0; from < ids.length; from += limits.threadPageMax) {
        const page = ids.slice(from, from + limits.threadPageMax);
        const found = await rows.findThreadsAside(db, place.workspaceId, page);
        // Those that are gone by now are passed over.
        for (const id of page) if (found.has(id)) yield presentThread(found.get(id)!);
      }
    },

    async get(place, id) {
      const row = await rows.findThread(db.read, place.workspaceId, id);
      if (row === undefined || row.deleted_at !== null) throw new AppError("thread-not-found");
      return presentThread(row);
    },

    async create(place, body) {
      if (body.id !== undefined && !isId("thread", body.id))
        throw badRequest("body.id", "must be a thread id: thread_0 and 24 characters");
      const hash = body.id === undefined ? null : requestHash(body);
      return await writeOnce(db, async (tx) => {
        if (body.id !== undefined) {
          const there = await rows.findThreadAnywhere(tx, body.id);
          if (there?.workspace_id === place.workspaceId && there.request_hash === hash)
            return { id: there.id, made: false };
          if (there !== undefined) throw new AppError("conflict");
        }
        if (body.upsert === true && body.external_id != null) {
          // External ids may repeat, so no index keeps two of these from making a thread each.
          await rows.lockWorkspace(tx, place.workspaceId);
          const there = await rows.findByExternalId(tx, place.workspaceId, cleanText(body.external_id));
          if (there !== undefined) return { id: there.id, made: false };
        }
        return { id: await make(tx, place, body, hash), made: true };
      });
    },

    async update(place, id, body) {
      const changed: RowChange<"threads"> = {};
      if (body.title !== undefined)
        Object.assign(changed, { title: cleanText(body.title), title_source: "person" });
      if (body.last_message_at !== undefined)
        changed.last_message_at = momentOf(body.last_message_at, clock.now());
      if (body.metadata !== undefined)
        changed.metadata = body.metadata === null ? null : JSON.stringify(body.metadata);
      if (body.is_archived !== undefined) changed.archived = body.is_archived ? 1 : 0;
      if (body.is_pinned !== undefined) changed.pinned = body.is_pinned ? 1 : 0;
      if (body.assistant_id !== undefined) {
        if (body.assistant_id !== null) await assistants.check(place.projectId, body.assistant_id);
        changed.assistant_id = body.assistant_id === defaultAssistantId ? null : body.assistant_id;
      }
      if (body.model !== undefined) changed.model = body.model && cleanText(body.model);
      await change(place, id, changed);
    },

    async choiceOf(place, id) {
      const row = await rows.findThreadIn(db.read, { of: "workspace_id", id: place.workspaceId }, id);
      return row && { assistantId: row.assistant_id, model: row.model };
    },

    async remove(place, id) {
      await change(place, id, { deleted_at: clock.now() });
    },

    async restore(place, id) {
      await db.write(async (tx) => {
        const row = await rows.lockThread(tx, place.workspaceId, id);
        if (row === undefined) throw new AppError("thread-not-found");
        await rows.changeThread(tx, id, { deleted_at: null, updated_at: clock.now() });
        await announce(tx, place, id);
      });
      return await this.get(place, id);
    },

    async titleOnce(place, id, title, source) {
      return await db.write(async (tx) => {
        const row = await rows.lockThread(tx, place.workspaceId, id);
        if (row === undefined || row.deleted_at !== null) return null;
        const open = row.title === null || (row.title_source === "fallback" && source === "model");
        if (!open) return row.title;
        await rows.changeThread(tx, id, { title, title_source: source, updated_at: clock.now() });
        await announce(tx, place, id);
        return title;
      });
    },

    async holdInProject(tx, projectId, id) {
      await rows.lockThreads(tx, [id]);
      const row = await rows.findThreadIn(tx.q, { of: "project_id", id: projectId }, id);
      if (row === undefined || row.deleted_at !== null) return undefined;
      return { id: row.id, workspaceId: row.workspace_id };
    },

    ownIds: async (tx, place, ids) => await rows.findOwnIds(tx, place.workspaceId, ids),

    async hold(tx, place, id) {
      await hold(tx, place, id);
    },

    holdAll: async (tx, ids) => await rows.lockThreads(tx, ids),

    async holdOrMake(tx, place, id) {
      const there = await rows.findThreadAnywhere(tx, id);
      if (there === undefined && isId("thread", id)) {
        // Whoever makes it so touches it before long: what is told then is what it is to be.
        const body = { id, last_message_at: new Date(clock.now()).toISOString() };
        await make(tx, place, body, null, { isAnnounced: false });
      } else {
        await hold(tx, place, id);
      }
    },

    async standInTitle(tx, place, id, words) {
      const row = await hold(tx, place, id);
      if (row.title !== null || words === "") return;
      await rows.changeThread(tx, id, { title: words, title_source: "fallback" });
    },

    async choose(tx, place, id, choice) {
      if (Object.keys(choice).length === 0) return;
      const row = await hold(tx, place, id);
      const { assistantId = row.assistant_id, model = row.model } = choice;
      if (assistantId === row.assistant_id && model === row.model) return;
      await rows.changeThread(tx, id, { assistant_id: assistantId, model: model && cleanText(model) });
      await announce(tx, place, id);
    },

    async touch(tx, place, id, nowMs) {
      const row = await hold(tx, place, id);
      await rows.changeThread(tx, id, { last_message_at: Math.max(row.last_message_at, nowMs) });
      await announce(tx, place, id);
    },

    announce,
  };
}
