import { limits } from "#contract/limits.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { forUpdate, idsOf } from "#storage/database/portable-sql.ts";
import { sql, type SqlBool } from "#storage/database/sql.ts";
import type { Row, Tables } from "#storage/database/tables.ts";

/** The SQL that deletes ended sessions, and users and workspaces without a way to sign in. */

export type QuerySource = Pick<Tx, "engine" | "q">;

export type UserWithWorkspace = Pick<Row<"users">, "id" | "workspace_id">;

/** Tables whose rows belong to a workspace. */
export type WorkspaceTable = {
  [T in keyof Tables]: "workspace_id" extends keyof Tables[T] ? T : never;
}[keyof Tables];

/** The next anonymous users after `id`, ordered by id, without those who wait for an account: only they have an address. */
export async function listAnonymousUsers(
  db: Database,
  id: string,
  limit: number,
): Promise<UserWithWorkspace[]> {
  return await db.read
    .selectFrom("users")
    .select(["id", "workspace_id"])
    .where("kind", "=", "anonymous")
    .where("email_key", "is", null)
    .where("id", ">", id)
    .orderBy("id")
    .limit(limit)
    .execute();
}

/** At most `limit` people without any session whose request for an account is too old, or whose link expired long ago. */
export async function listOldJoinRequests(db: Database, nowMs: number, limit: number): Promise<string[]> {
  const old = await db.read
    .selectFrom("join_requests")
    .select("user_id")
    .where((is) => {
      const links = is
        .selectFrom("account_tokens")
        .select("token_hash")
        .whereRef("account_tokens.user_id", "=", "join_requests.user_id")
        .where("purpose", "=", "confirm");
      return is.or([
        is("created_at", "<", nowMs - limits.joinRequestMs),
        is.and([
          is("created_at", "<", nowMs - limits.unconfirmedJoinRequestMs),
          is.exists(links),
          is.not(is.exists(links.where("expires_at", ">", nowMs))),
        ]),
      ]);
    })
    .where((is) =>
      is.not(
        is.exists(
          is.selectFrom("sessions").select("id").whereRef("sessions.user_id", "=", "join_requests.user_id"),
        ),
      ),
    )
    .orderBy("user_id")
    .limit(limit)
    .execute();
  return old.map((row) => row.user_id);
}

/** The users without any session, active or ended. */
export async function withoutSession(
  from: QuerySource,
  users: UserWithWorkspace[],
): Promise<UserWithWorkspace[]> {
  if (users.length === 0) return [];
  const ids = users.map(({ id }) => id);
  const rows = await from.q
    .selectFrom("sessions")
    .select("user_id")
    .distinct()
    .where("user_id", "in", idsOf(from, ids))
    .execute();
  const withSession = new Set(rows.map((row) => row.user_id));
  return users.filter(({ id }) => !withSession.has(id));
}

/** The users whose workspace has no rows in these tables. */
export async function withoutRows(
  from: QuerySource,
  tables: WorkspaceTable[],
  users: UserWithWorkspace[],
): Promise<UserWithWorkspace[]> {
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
            sql<SqlBool>`not exists (select 1 from ${sql.table(table)} as owned where owned.workspace_id = workspaces.id)`,
        ),
      ),
    )
    .execute();
  const emptyIds = new Set(empty.map(({ id }) => id));
  return users.filter((user) => emptyIds.has(user.workspace_id));
}

/** Locks the workspaces, so that no other transaction can add rows to them. */
export async function lockWorkspaces(tx: Tx, users: UserWithWorkspace[]): Promise<void> {
  const ids = users.map((user) => user.workspace_id);
  const locked = tx.q.selectFrom("workspaces").select("id").where("id", "in", idsOf(tx, ids)).orderBy("id");
  await forUpdate(tx, locked).execute();
}
