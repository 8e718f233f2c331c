import type { Database, Tx } from "#storage/database/database.ts";
import { forUpdate, idsOf } from "#storage/database/portable-sql.ts";
import { sql, type SqlBool } from "#storage/database/sql.ts";
import type { Row, Tables } from "#storage/database/tables.ts";

/** The SQL of clearing away sessions, and users and workspaces that nobody can use any more. */

export type From = Pick<Tx, "engine" | "q">;

/** A user, and the workspace that is theirs alone. */
export type Leaver = Pick<Row<"users">, "id" | "workspace_id">;

/** Tables whose rows belong to a workspace. */
export type OfWorkspace = {
  [T in keyof Tables]: "workspace_id" extends keyof Tables[T] ? T : never;
}[keyof Tables];

/** Deletes at most `limit` sessions that expired or were revoked before `before`. Answers how many. */
export async function deleteEndedSessions(tx: Tx, before: number, limit: number): Promise<number> {
  const ended = tx.q
    .selectFrom("sessions")
    .select("id")
    .where((is) => is.or([is("expires_at", "<", before), is("revoked_at", "<", before)]))
    .orderBy("id")
    .limit(limit);
  const { numDeletedRows } = await tx.q
    .deleteFrom("sessions")
    .where("id", "in", ended)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** Anonymous users in the order of their ids. */
export async function anonymousAfter(db: Database, id: string, limit: number): Promise<Leaver[]> {
  return await db.read
    .selectFrom("users")
    .select(["id", "workspace_id"])
    .where("kind", "=", "anonymous")
    .where("id", ">", id)
    .orderBy("id")
    .limit(limit)
    .execute();
}

/** Those of `users` that have no session, ended or not. */
export async function withoutSession(from: From, users: Leaver[]): Promise<Leaver[]> {
  if (users.length === 0) return [];
  const ids = users.map(({ id }) => id);
  const rows = await from.q
    .selectFrom("sessions")
    .select("user_id")
    .distinct()
    .where("user_id", "in", idsOf(from, ids))
    .execute();
  const having = new Set(rows.map((row) => row.user_id));
  return users.filter(({ id }) => !having.has(id));
}

/** Those of `users` in whose workspace none of these tables has a row. */
export async function without(from: From, tables: OfWorkspace[], users: Leaver[]): Promise<Leaver[]> {
  if (users.length === 0) return [];
  const ids = users.map((user) => user.workspace_id);
  const empty = await from.q
    .selectFrom("workspaces")
    .select("id")
    .where("id", "in", idsOf(from, ids))
    .where((is) =>
      is.and(
        tables.map(
          (table) =>
            sql<SqlBool>`not exists (select 1 from ${sql.table(table)} as held where held.workspace_id = workspaces.id)`,
        ),
      ),
    )
    .execute();
  const left = new Set(empty.map(({ id }) => id));
  return users.filter((user) => left.has(user.workspace_id));
}

/** Keeps others from putting anything into these workspaces until the transaction ends. */
export async function holdWorkspaces(tx: Tx, users: Leaver[]): Promise<void> {
  const ids = users.map((user) => user.workspace_id);
  const held = tx.q.selectFrom("workspaces").select("id").where("id", "in", idsOf(tx, ids)).orderBy("id");
  await forUpdate(tx, held).execute();
}

export async function deleteVisitors(tx: Tx, users: Leaver[]): Promise<void> {
  const ids = users.map(({ id }) => id);
  await tx.q.deleteFrom("users").where("id", "in", idsOf(tx, ids)).where("kind", "=", "anonymous").execute();
}

export async function deleteWorkspaces(tx: Tx, ids: string[]): Promise<void> {
  const used = tx.q.selectFrom("users").select("workspace_id");
  await tx.q.deleteFrom("workspaces").where("id", "in", idsOf(tx, ids)).where("id", "not in", used).execute();
}
