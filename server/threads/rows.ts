import { forUpdate, idsOf } from "#storage/database/portable-sql.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { sql, type Kysely } from "#storage/database/sql.ts";
import type { NewRow, Row, RowChange, Tables } from "#storage/database/tables.ts";
import { hasNoAccount } from "../people/accounts/private-workspaces.ts";
import { stagingName } from "../people/users/staging-workspace.ts";
import { selectThreads } from "./select-threads.ts";

/** The SQL of threads: a table that only this module writes. */

export type ThreadRow = Row<"threads"> & {
  workspace_name: string;
  /** The newest run that has not ended. */
  active_run_id: string | null;
  /** A run that waits for a person. */
  waiting_run_id: string | null;
  /** 1 if it is shared with people or groups. */
  is_shared: number;
  folder_name: string | null;
  /** A line for each tag with its id, a space and its name, by name; null for none. */
  tag_list: string | null;
  /** The name of the person it belongs to; null if it is not shared. */
  owner_name: string | null;
};

export type ThreadPosition = { lastMessageAt: number; id: string };

/** The threads of one workspace, or of all workspaces of an app that do not belong to an account. */
export type Scope = { of: "workspace_id" | "app_id"; id: string };

/** One staged thread of an import, or those staged before a time. */
export type StagedFilter = { id: string } | { beforeMs: number };

/** A page of threads that are not in the trash, after `after`, newest message first. */
export async function listThreads(
  db: Database,
  filter: {
    scope: Scope;
    archived: boolean;
    externalId: string | undefined;
    createdBy: string | undefined;
    pinned: boolean | undefined;
    folderId: string | undefined;
    inFolder: boolean | undefined;
    tagId: string | undefined;
    after: ThreadPosition | undefined;
    limit: number;
  },
): Promise<ThreadRow[]> {
  let query = selectThreads(db.read)
    .where(`threads.${filter.scope.of}`, "=", filter.scope.id)
    .where(isVisibleIn(filter.scope))
    .where("threads.archived", "=", filter.archived ? 1 : 0)
    .where("threads.deleted_at", "is", null)
    .where("threads.temporary_until", "is", null)
    .orderBy("threads.last_message_at", "desc")
    .orderBy("threads.id", "desc")
    .limit(filter.limit);
  if (filter.createdBy !== undefined) query = query.where("threads.created_by", "=", filter.createdBy);
  if (filter.externalId !== undefined) query = query.where("threads.external_id", "=", filter.externalId);
  // A literal, not a parameter: neither engine uses the partial index of pinned threads for a parameter.
  if (filter.pinned !== undefined)
    query = query.where(filter.pinned ? sql<boolean>`threads.pinned = 1` : sql<boolean>`threads.pinned = 0`);
  const { folderId, inFolder, tagId } = filter;
  if (folderId !== undefined) query = query.where("threads.folder_id", "=", folderId);
  if (inFolder !== undefined) query = query.where("threads.folder_id", inFolder ? "is not" : "is", null);
  if (tagId !== undefined)
    query = query.where("threads.id", "in", (q) =>
      q.selectFrom("thread_tags").select("thread_id").where("label_id", "=", tagId),
    );
  if (filter.after !== undefined) {
    const { lastMessageAt, id } = filter.after;
    query = query.where(sql<boolean>`(threads.last_message_at, threads.id) < (${lastMessageAt}, ${id})`);
  }
  return await query.execute();
}

/** The ids of all threads of a workspace, archived and deleted ones included, temporary ones not; oldest first. */
export async function listThreadIds(db: Database, workspaceId: string): Promise<string[]> {
  const found = await db.readWorker
    .selectFrom("threads")
    .select("id")
    .where("workspace_id", "=", workspaceId)
    .where("temporary_until", "is", null)
    .orderBy("id")
    .execute();
  return found.map(({ id }) => id);
}

/** Those of `ids` that are in the workspace, by id. Read in the read worker. */
export async function findThreadsByIds(
  db: Database,
  workspaceId: string,
  ids: string[],
): Promise<Map<string, ThreadRow>> {
  const found = await selectThreads(db.readWorker)
    .where("threads.workspace_id", "=", workspaceId)
    .where("threads.id", "in", idsOf(db, ids))
    .execute();
  return new Map(found.map((row) => [row.id, row]));
}

/** A thread of this workspace, also one in the trash. */
export async function findThread(
  q: Kysely<Tables>,
  workspaceId: string,
  id: string,
): Promise<ThreadRow | undefined> {
  return await selectThreads(q)
    .where("threads.id", "=", id)
    .where("threads.workspace_id", "=", workspaceId)
    .executeTakeFirst();
}

/** A thread of an app that its keys may write to: also a temporary one, which they cannot read. */
export async function findThreadToWrite(
  tx: Tx,
  appId: string,
  id: string,
): Promise<Pick<Row<"threads">, "workspace_id" | "deleted_at"> | undefined> {
  return await tx.q
    .selectFrom("threads")
    .select(["workspace_id", "deleted_at"])
    .where("id", "=", id)
    .where("app_id", "=", appId)
    .where(hasNoAccount("threads.workspace_id"))
    .executeTakeFirst();
}

/** A thread of this workspace or app, also one in the trash. */
export async function findThreadIn(
  q: Kysely<Tables>,
  scope: Scope,
  id: string,
): Promise<Row<"threads"> | undefined> {
  return await q
    .selectFrom("threads")
    .selectAll()
    .where("id", "=", id)
    .where(scope.of, "=", scope.id)
    .where(isVisibleIn(scope))
    .executeTakeFirst();
}

function isVisibleIn({ of }: Scope) {
  return of === "workspace_id"
    ? sql<boolean>`true`
    : sql<boolean>`(threads.temporary_until is null and ${hasNoAccount("threads.workspace_id")})`;
}

/** Those of `ids` that exist, in any workspace. */
export async function findThreads(tx: Tx, ids: string[]): Promise<ThreadRow[]> {
  return await selectThreads(tx.q).where("threads.id", "in", idsOf(tx, ids)).execute();
}

/** Those of `ids` that are in this workspace and not in the trash. */
export async function filterOwnIds(tx: Tx, workspaceId: string, ids: string[]): Promise<Set<string>> {
  const found = await tx.q
    .selectFrom("threads")
    .select("id")
    .where("workspace_id", "=", workspaceId)
    .where("deleted_at", "is", null)
    .where("id", "in", idsOf(tx, ids))
    .execute();
  return new Set(found.map(({ id }) => id));
}

/** Moves every thread of a workspace, deleted ones included, to another, and gives the threads of `from` to `to`. */
export async function moveThreads(
  tx: Tx,
  from: { workspaceId: string; userId: string },
  to: { appId: string; workspaceId: string; userId: string },
): Promise<{ id: string; deleted_at: number | null }[]> {
  return await tx.q
    .updateTable("threads")
    .set((thread) => ({
      app_id: to.appId,
      workspace_id: to.workspaceId,
      // The permission was personal.
      allowed_tools: null,
      created_by: thread
        .case()
        .when("created_by", "=", from.userId)
        .then(to.userId)
        .else(thread.ref("created_by"))
        .end(),
    }))
    .where("workspace_id", "=", from.workspaceId)
    .returning(["id", "deleted_at"])
    .execute();
}

/** The thread with this id in any workspace. */
export async function findThreadAnywhere(tx: Tx, id: string): Promise<Row<"threads"> | undefined> {
  return await tx.q.selectFrom("threads").selectAll().where("id", "=", id).executeTakeFirst();
}

/** Locks the thread until the transaction ends; `undefined` if it does not exist. */
export async function lockThread(
  tx: Tx,
  workspaceId: string,
  id: string,
): Promise<Row<"threads"> | undefined> {
  const query = tx.q
    .selectFrom("threads")
    .selectAll()
    .where("id", "=", id)
    .where("workspace_id", "=", workspaceId);
  return await forUpdate(tx, query).executeTakeFirst();
}

/** Locks these threads in the order of their ids, so that two transactions cannot deadlock. */
export async function lockThreads(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const query = tx.q.selectFrom("threads").select("id").where("id", "in", idsOf(tx, ids)).orderBy("id");
  await forUpdate(tx, query).execute();
}

/** Locks the workspace until the transaction ends. */
export async function lockWorkspace(tx: Tx, id: string): Promise<void> {
  await forUpdate(tx, tx.q.selectFrom("workspaces").select("id").where("id", "=", id)).execute();
}

/** The oldest thread with this external id that is not in the trash. */
export async function findByExternalId(
  tx: Tx,
  workspaceId: string,
  externalId: string,
): Promise<Row<"threads"> | undefined> {
  return await tx.q
    .selectFrom("threads")
    .selectAll()
    .where("workspace_id", "=", workspaceId)
    .where("external_id", "=", externalId)
    .where("deleted_at", "is", null)
    .orderBy("created_at")
    .orderBy("id")
    .executeTakeFirst();
}

export async function insertThread(tx: Tx, thread: NewRow<"threads">): Promise<void> {
  const text_bytes = Buffer.byteLength(thread.metadata ?? "");
  await tx.q
    .insertInto("threads")
    .values({ ...thread, text_bytes })
    .execute();
}

export async function setFallbackTitle(tx: Tx, id: string, title: string): Promise<void> {
  await tx.q
    .updateTable("threads")
    .set({ title, title_source: "fallback" })
    .where("id", "=", id)
    .where("title", "is", null)
    .where("temporary_until", "is", null)
    .execute();
}

export async function raiseLastMessageAt(tx: Tx, id: string, to: number): Promise<void> {
  await tx.q
    .updateTable("threads")
    .set({ last_message_at: to })
    .where("id", "=", id)
    .where("last_message_at", "<", to)
    .execute();
}

export async function updateThread(tx: Tx, id: string, change: RowChange<"threads">): Promise<void> {
  const { metadata } = change;
  const size =
    metadata === undefined
      ? {}
      : {
          text_bytes: sql<number>`text_bytes - coalesce(octet_length(metadata), 0) + cast(${Buffer.byteLength(metadata ?? "")} as integer)`,
        };
  await tx.q
    .updateTable("threads")
    .set({ ...change, ...size })
    .where("id", "=", id)
    .execute();
}

/** A page of a workspace's trash after `after`, most recently deleted first. */
export async function listTrash(
  db: Database,
  workspaceId: string,
  after: { deletedAt: number; id: string } | undefined,
  limit: number,
): Promise<ThreadRow[]> {
  let query = selectThreads(db.read)
    .where("threads.workspace_id", "=", workspaceId)
    .where("threads.deleted_at", "is not", null)
    .where("threads.temporary_until", "is", null)
    .orderBy("threads.deleted_at", "desc")
    .orderBy("threads.id", "desc")
    .limit(limit);
  if (after !== undefined)
    query = query.where(sql<boolean>`(threads.deleted_at, threads.id) < (${after.deletedAt}, ${after.id})`);
  return await query.execute();
}

/** Threads in the trash: those of a workspace, one of them, or those of any workspace that were deleted before a time. */
export type TrashFilter = { workspaceId: string; id?: string } | { beforeMs: number };

/** Deletes up to `limit` threads in the trash with their messages, oldest deletion first. Returns them. */
export async function purgeThreads(
  tx: Tx,
  which: TrashFilter,
  limit: number,
): Promise<{ id: string; workspace_id: string }[]> {
  let ids = tx.q
    .selectFrom("threads")
    .select("id")
    .where("deleted_at", "is not", null)
    .where("temporary_until", "is", null)
    .orderBy("deleted_at")
    .limit(limit);
  if ("beforeMs" in which) ids = ids.where("deleted_at", "<", which.beforeMs);
  else {
    ids = ids.where("workspace_id", "=", which.workspaceId);
    if (which.id !== undefined) ids = ids.where("id", "=", which.id);
  }
  return await tx.q.deleteFrom("threads").where("id", "in", ids).returning(["id", "workspace_id"]).execute();
}

/** Deletes threads of the staging workspace, with their messages. Returns their number. */
export async function deleteStaged(tx: Tx, which: StagedFilter): Promise<number> {
  const staging = tx.q
    .selectFrom("workspaces")
    .select("id")
    .where("realm", "=", "own")
    .where("name", "=", stagingName);
  let staged = tx.q.deleteFrom("threads").where("workspace_id", "in", staging);
  if ("id" in which) staged = staged.where("id", "=", which.id);
  else staged = staged.where("deleted_at", "<", which.beforeMs);
  return Number((await staged.executeTakeFirstOrThrow()).numDeletedRows);
}

/** The workspace of the thread with this id, and when the thread was deleted. */
export async function findOwner(
  db: Database,
  id: string,
): Promise<Pick<Row<"threads">, "workspace_id" | "deleted_at"> | undefined> {
  return await db.read
    .selectFrom("threads")
    .select(["workspace_id", "deleted_at"])
    .where("id", "=", id)
    .executeTakeFirst();
}

/** The threads that this person created or that are in these workspaces. */
export async function findThreadsOf(
  tx: Tx,
  person: { appId: string; userId: string },
  workspaceIds: string[],
): Promise<string[]> {
  return (await threadsOf(tx, person, workspaceIds).execute()).map(({ id }) => id);
}

/** The workspaces with threads that this person was in. */
export async function findWorkspacesWith(
  tx: Tx,
  { appId, userId }: { appId: string; userId: string },
): Promise<string[]> {
  const written = tx.q.selectFrom("messages").select("thread_id").where("created_by", "=", userId);
  const opened = tx.q.selectFrom("branch_heads").select("thread_id").where("user_id", "=", userId);
  const joined = tx.q.selectFrom("thread_members").select("thread_id").where("user_id", "=", userId);
  const found = await tx.q
    .selectFrom("threads")
    .select("workspace_id")
    .distinct()
    .where("app_id", "=", appId)
    .where("id", "in", written.union(opened).union(joined))
    .execute();
  return found.map((thread) => thread.workspace_id);
}

/** Deletes the threads that this person created or that are in these workspaces, with their messages. Returns them. */
export async function deleteThreadsOf(
  tx: Tx,
  person: { appId: string; userId: string },
  workspaceIds: string[],
): Promise<{ id: string; workspace_id: string }[]> {
  return await tx.q
    .deleteFrom("threads")
    .where("id", "in", threadsOf(tx, person, workspaceIds))
    .returning(["id", "workspace_id"])
    .execute();
}

function threadsOf(tx: Tx, { appId, userId }: { appId: string; userId: string }, workspaceIds: string[]) {
  return tx.q
    .selectFrom("threads")
    .select("id")
    .where("app_id", "=", appId)
    .where((is) => is.or([is("created_by", "=", userId), is("workspace_id", "in", idsOf(tx, workspaceIds))]));
}
