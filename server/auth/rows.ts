import type { Database, Tx } from "#storage/database/database.ts";
import { sql, type Kysely } from "#storage/database/sql.ts";
import type { NewRow, Row, Tables } from "#storage/database/tables.ts";
import { publishCredentialChange, publishUserChange } from "./credential-watch.ts";

/**
 * The SQL of workspaces, users, sessions and API keys, which only this module writes. Functions that end a credential or a
 * user also notify its open streams, so that no caller can forget it.
 */

export async function insertWorkspace(tx: Tx, workspace: NewRow<"workspaces">): Promise<void> {
  await tx.q
    .insertInto("workspaces")
    .values(workspace)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function findWorkspace(
  q: Kysely<Tables>,
  place: { projectId: string; realm: "own" | "external"; name: string },
): Promise<Row<"workspaces"> | undefined> {
  return await q
    .selectFrom("workspaces")
    .selectAll()
    .where("project_id", "=", place.projectId)
    .where("realm", "=", place.realm)
    .where("name", "=", place.name)
    .executeTakeFirst();
}

export async function insertUser(tx: Tx, user: NewRow<"users">): Promise<void> {
  await tx.q
    .insertInto("users")
    .values(user)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Creates a user of this server, with a workspace of their own. */
export async function insertOwnUser(
  tx: Tx,
  {
    userId,
    workspaceId,
    kind,
    isAppVisitor = false,
  }: { userId: string; workspaceId: string; kind: Row<"users">["kind"]; isAppVisitor?: boolean },
  projectId: string,
  nowMs: number,
): Promise<void> {
  await insertWorkspace(tx, {
    id: workspaceId,
    project_id: projectId,
    realm: "own",
    name: userId,
    created_at: nowMs,
  });
  await insertUser(tx, {
    id: userId,
    kind,
    workspace_id: workspaceId,
    created_at: nowMs,
    last_seen_at: nowMs,
    is_app_visitor: isAppVisitor ? 1 : 0,
  });
}

export type SessionWithUser = Row<"sessions"> & {
  user_kind: Row<"users">["kind"];
  user_is_owner: number;
  user_joined_at: number | null;
  user_disabled_at: number | null;
  /** The administrator who deleted the account. */
  user_deletion_by: string | null;
  user_is_app_visitor: number;
  /** The user, if they have a second factor. */
  second_factor_of: string | null;
  workspace_id: string;
  workspace_name: string;
  project_id: string;
};

/** The session with this token hash or id, even if it has ended, with its user. */
export async function findSession(
  db: Database,
  by: { tokenHash: string } | { id: string },
): Promise<SessionWithUser | undefined> {
  return await db.read
    .selectFrom("sessions")
    .innerJoin("users", "users.id", "sessions.user_id")
    .innerJoin("workspaces", "workspaces.id", "users.workspace_id")
    .leftJoin("second_factors", "second_factors.user_id", "users.id")
    .selectAll("sessions")
    .select([
      "users.kind as user_kind",
      "users.is_owner as user_is_owner",
      "users.joined_at as user_joined_at",
      "users.disabled_at as user_disabled_at",
      "users.deletion_by as user_deletion_by",
      "users.is_app_visitor as user_is_app_visitor",
      "second_factors.user_id as second_factor_of",
      "users.workspace_id as workspace_id",
      "workspaces.name as workspace_name",
      "workspaces.project_id as project_id",
    ])
    .where("id" in by ? "sessions.id" : "sessions.token_hash", "=", "id" in by ? by.id : by.tokenHash)
    .executeTakeFirst();
}

export async function insertSession(tx: Tx, session: NewRow<"sessions">): Promise<void> {
  await tx.q.insertInto("sessions").values(session).execute();
}

export async function extendSession(tx: Tx, id: string, expiresAt: number): Promise<void> {
  await tx.q.updateTable("sessions").set({ expires_at: expiresAt }).where("id", "=", id).execute();
}

/** The sessions of a user that have not ended, the last used first. */
export async function listActiveSessions(
  db: Database,
  userId: string,
  nowMs: number,
  limit: number,
): Promise<Row<"sessions">[]> {
  return await db.read
    .selectFrom("sessions")
    .selectAll()
    .where("user_id", "=", userId)
    .where("revoked_at", "is", null)
    .where("expires_at", ">", nowMs)
    .orderBy("expires_at", "desc")
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
}

/** Revokes the user's active sessions: all, the one with `id`, or all except `exceptId`. Returns how many. */
export async function revokeSessionsOf(
  tx: Tx,
  userId: string,
  which: "all" | { id: string } | { exceptId: string },
  nowMs: number,
): Promise<number> {
  let query = tx.q
    .updateTable("sessions")
    .set({ revoked_at: nowMs })
    .where("user_id", "=", userId)
    .where("revoked_at", "is", null)
    .where("expires_at", ">", nowMs);
  if (which !== "all")
    query = query.where("id", "id" in which ? "=" : "!=", "id" in which ? which.id : which.exceptId);
  const revoked = await query.returning("id").execute();
  for (const { id } of revoked) publishCredentialChange(tx, id);
  return revoked.length;
}

/** Revokes the active sessions that a proxy opened: of everybody or of one user, except the one with this id. */
export async function revokeProxySessions(
  tx: Tx,
  { userId, exceptSessionId }: { userId?: string; exceptSessionId?: string | undefined },
  nowMs: number,
): Promise<void> {
  let query = tx.q
    .updateTable("sessions")
    .set({ revoked_at: nowMs })
    .where("method", "=", "proxy")
    .where("revoked_at", "is", null)
    .where("expires_at", ">", nowMs);
  if (userId !== undefined) query = query.where("user_id", "=", userId);
  if (exceptSessionId !== undefined) query = query.where("id", "!=", exceptSessionId);
  for (const { id } of await query.returning("id").execute()) publishCredentialChange(tx, id);
}

/** `isAppVisitor`: the user has an anonymous token. Those of versions before were not marked. */
export async function touchUser(tx: Tx, id: string, isAppVisitor: boolean, nowMs: number): Promise<void> {
  const changed = { last_seen_at: nowMs, ...(isAppVisitor ? { is_app_visitor: 1 } : {}) };
  await tx.q.updateTable("users").set(changed).where("id", "=", id).execute();
}

export async function revoke(
  tx: Tx,
  table: "sessions" | "api_keys",
  id: string,
  nowMs: number,
): Promise<boolean> {
  const { numUpdatedRows } = await tx.q
    .updateTable(table)
    .set({ revoked_at: nowMs })
    .where("id", "=", id)
    .where("revoked_at", "is", null)
    .executeTakeFirst();
  publishCredentialChange(tx, id);
  return numUpdatedRows > 0n;
}

export async function findApiKey(db: Database, keyHash: string): Promise<Row<"api_keys"> | undefined> {
  return await db.read.selectFrom("api_keys").selectAll().where("key_hash", "=", keyHash).executeTakeFirst();
}

export async function findApiKeyById(db: Database, id: string): Promise<Row<"api_keys"> | undefined> {
  return await db.read.selectFrom("api_keys").selectAll().where("id", "=", id).executeTakeFirst();
}

/** All keys, or a page of those of a project, newest first. */
export async function listApiKeys(
  db: Database,
  page?: { projectId: string; after: Row<"api_keys"> | undefined; limit: number },
): Promise<Row<"api_keys">[]> {
  let query = db.read.selectFrom("api_keys").selectAll().orderBy("created_at", "desc").orderBy("id", "desc");
  if (page !== undefined) {
    const { projectId, after, limit } = page;
    query = query.where("project_id", "=", projectId).limit(limit);
    if (after !== undefined)
      query = query.where(sql<boolean>`(created_at, id) < (${after.created_at}, ${after.id})`);
  }
  return await query.execute();
}

export async function insertApiKey(tx: Tx, key: NewRow<"api_keys">): Promise<void> {
  await tx.q
    .insertInto("api_keys")
    .values(key)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function setApiKeyRevoked(tx: Tx, keyHash: string, revokedAt: number | null): Promise<void> {
  const changed = await tx.q
    .updateTable("api_keys")
    .set({ revoked_at: revokedAt })
    .where("key_hash", "=", keyHash)
    .returning("id")
    .execute();
  for (const { id } of changed) publishCredentialChange(tx, id);
}

/** Revokes the keys with this name that come from a setting, except the one with `keptHash`. */
export async function revokeOtherKeys(
  tx: Tx,
  name: string,
  keptHash: string | undefined,
  nowMs: number,
): Promise<void> {
  let query = tx.q
    .updateTable("api_keys")
    .set({ revoked_at: nowMs })
    .where("name", "=", name)
    .where("created_by", "is", null)
    .where("revoked_at", "is", null);
  if (keptHash !== undefined) query = query.where("key_hash", "!=", keptHash);
  for (const { id } of await query.returning("id").execute()) publishCredentialChange(tx, id);
}

export async function touchApiKey(tx: Tx, id: string, nowMs: number): Promise<void> {
  await tx.q.updateTable("api_keys").set({ last_used_at: nowMs }).where("id", "=", id).execute();
}

/** The workspaces with this name, in both realms. */
export async function findWorkspacesNamed(tx: Tx, projectId: string, name: string): Promise<string[]> {
  const found = await tx.q
    .selectFrom("workspaces")
    .select("id")
    .where("project_id", "=", projectId)
    .where("name", "=", name)
    .execute();
  return found.map(({ id }) => id);
}

export async function renameWorkspace(tx: Tx, id: string, name: string): Promise<void> {
  await tx.q.updateTable("workspaces").set({ name }).where("id", "=", id).execute();
}

/** The user with this id, if the workspace is theirs or of another person of this server, and not of a backend. */
export async function findUserInWorkspace(
  db: Database,
  id: string,
  workspaceId: string,
): Promise<Row<"users"> | undefined> {
  return await db.read
    .selectFrom("users")
    .selectAll()
    .where("id", "=", id)
    .where(isOfPerson(workspaceId))
    .executeTakeFirst();
}

/**
 * Somebody as rows name them: whether the workspace belongs to this server's people, and their user row. Users that an app
 * names have none. `isOwn` is undefined if there is no such workspace. `app_id` is the project of a visitor with an
 * anonymous token, if that project has its own rules for them: then those of guests do not apply.
 */
export async function findPlace(
  q: Kysely<Tables>,
  userId: string,
  workspaceId: string,
): Promise<{
  isOwn: boolean | undefined;
  user: (Pick<Row<"users">, "kind" | "is_owner"> & { app_id: string | null }) | undefined;
}> {
  const found = await q
    .selectFrom("workspaces")
    .leftJoin("users", (join) => join.on("users.id", "=", userId).on("workspaces.realm", "=", "own"))
    .leftJoin("projects", (join) =>
      join
        .onRef("projects.id", "=", "workspaces.project_id")
        .on("users.is_app_visitor", "=", 1)
        .on("projects.anonymous_tokens", "is not", null),
    )
    .select(["realm", "kind", "is_owner", "projects.id as app_id"])
    .where("workspaces.id", "=", workspaceId)
    .executeTakeFirst();
  if (found === undefined) return { isOwn: undefined, user: undefined };
  const { realm, kind, is_owner, app_id } = found;
  return {
    isOwn: realm === "own",
    user: kind === null || is_owner === null ? undefined : { kind, is_owner, app_id },
  };
}

/**
 * Whether the workspace belongs to a person of this server. There, user ids are those of `users`: a backend can name its
 * users as it likes.
 */
export function isOfPerson(workspaceId: string) {
  return sql<boolean>`exists (
    select 1 from workspaces where workspaces.id = ${workspaceId} and workspaces.realm = 'own'
  )`;
}

/** The user with this id, if they belong to the project. */
export async function findUser(
  tx: Tx,
  projectId: string,
  id: string,
): Promise<Pick<Row<"users">, "kind" | "joined_at"> | undefined> {
  return await tx.q
    .selectFrom("users")
    .innerJoin("workspaces", "workspaces.id", "users.workspace_id")
    .select(["users.kind", "users.joined_at"])
    .where("users.id", "=", id)
    .where("workspaces.project_id", "=", projectId)
    .executeTakeFirst();
}

/** Whether this is a person of this server who is no guest, in any project. */
export async function isAccount(db: Database, id: string): Promise<boolean> {
  const found = await db.read
    .selectFrom("users")
    .select("id")
    .where("id", "=", id)
    .where("kind", "!=", "anonymous")
    .executeTakeFirst();
  return found !== undefined;
}

/** Selects the ids of the people of this server who have one of the workspaces. */
export function usersOf({ q }: Pick<Tx, "q">, workspaceIds: readonly string[]) {
  return q.selectFrom("users").select("id").where("workspace_id", "in", workspaceIds);
}

/** Deletes a user and their sessions. */
export async function deleteUser(tx: Tx, id: string): Promise<void> {
  await tx.q.deleteFrom("users").where("id", "=", id).execute();
  publishUserChange(tx, id);
}
