import { forUpdate } from "#storage/sql/engine.ts";
import type { Database, Tx } from "#storage/sql/database.ts";
import { sql, type Kysely } from "#storage/sql/sql.ts";
import type { NewRow, Row, RowChange, Tables } from "#storage/sql/tables.ts";

/** The SQL of threads: a table that only this room writes. */

export type ThreadRow = Row<"threads"> & { workspace_name: string; active_run_id: string | null };

export type ThreadPosition = { lastMessageAt: number; id: string };

/** A page of a workspace's threads that are not in the trash, newest message first, strictly after `after`. */
export async function listThreads(
  db: Database,
  filter: {
    workspaceId: string;
    archived: boolean;
    externalId: string | undefined;
    after: ThreadPosition | undefined;
    limit: number;
  },
): Promise<ThreadRow[]> {
  let query = selectThreads(db.read)
    .where("threads.workspace_id", "=", filter.workspaceId)
    .where("threads.archived", "=", filter.archived ? 1 : 0)
    .where("threads.deleted_at", "is", null)
    .orderBy("threads.last_message_at", "desc")
    .orderBy("threads.id", "desc")
    .limit(filter.limit);
  if (filter.externalId !== undefined) query = query.where("threads.external_id", "=", filter.externalId);
  if (filter.after !== undefined) {
    const { lastMessageAt, id } = filter.after;
    query = query.where(sql<boolean>`(threads.last_message_at, threads.id) < (${lastMessageAt}, ${id})`);
  }
  return await query.execute();
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

/** Whoever's thread has this id, in any workspace. */
export async function findThreadAnywhere(tx: Tx, id: string): Promise<Row<"threads"> | undefined> {
  return await tx.q.selectFrom("threads").selectAll().where("id", "=", id).executeTakeFirst();
}

/** Keeps other transactions from changing the thread until this one ends; `undefined` where it is not there. */
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

/** Makes transactions that ask for this follow one another, workspace by workspace. */
export async function lockWorkspace(tx: Tx, id: string): Promise<void> {
  await forUpdate(tx, tx.q.selectFrom("workspaces").select("id").where("id", "=", id)).execute();
}

/** The oldest thread of this external id that is not in the trash. */
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
  await tx.q.insertInto("threads").values(thread).execute();
}

export async function changeThread(tx: Tx, id: string, change: RowChange<"threads">): Promise<void> {
  await tx.q.updateTable("threads").set(change).where("id", "=", id).execute();
}

/** Deletes threads, with their messages, that went to the trash before `before`. Answers which. */
export async function purgeThreads(
  tx: Tx,
  before: number,
  limit: number,
): Promise<{ id: string; workspace_id: string }[]> {
  const gone = tx.q
    .selectFrom("threads")
    .select("id")
    .where("deleted_at", "<", before)
    .orderBy("deleted_at")
    .limit(limit);
  return await tx.q.deleteFrom("threads").where("id", "in", gone).returning(["id", "workspace_id"]).execute();
}

function selectThreads(q: Kysely<Tables>) {
  return q
    .selectFrom("threads")
    .innerJoin("workspaces", "workspaces.id", "threads.workspace_id")
    .selectAll("threads")
    .select("workspaces.name as workspace_name")
    .select((expression) =>
      expression
        .selectFrom("runs")
        .select("runs.id")
        .whereRef("runs.thread_id", "=", "threads.id")
        .where("runs.origin", "=", "own")
        .where("runs.ended_at", "is", null)
        .orderBy("runs.created_at", "desc")
        .limit(1)
        .as("active_run_id"),
    );
}
