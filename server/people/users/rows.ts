import type { Database, Tx } from "#storage/database/database.ts";
import { idsOf } from "#storage/database/portable-sql.ts";
import { sql, type Expression, type Kysely } from "#storage/database/sql.ts";
import type { NewRow, Row, Tables } from "#storage/database/tables.ts";
import { publishUserChange } from "#server/sign-in/credential-watch.ts";

/** The SQL of workspaces and users. Deleting a user also notifies their open streams, so that no caller can forget it. */

export async function insertWorkspace(tx: Tx, workspace: NewRow<"workspaces">): Promise<void> {
  await tx.q
    .insertInto("workspaces")
    .values(workspace)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function findWorkspace(
  q: Kysely<Tables>,
  place: { appId: string; realm: "own" | "external"; name: string },
): Promise<Row<"workspaces"> | undefined> {
  return await q
    .selectFrom("workspaces")
    .selectAll()
    .where("app_id", "=", place.appId)
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
  appId: string,
  nowMs: number,
): Promise<void> {
  await insertWorkspace(tx, {
    id: workspaceId,
    app_id: appId,
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

/** `isAppVisitor`: the user has an anonymous token. Those of versions before were not marked. */
export async function touchUser(tx: Tx, id: string, isAppVisitor: boolean, nowMs: number): Promise<void> {
  const changed = { last_seen_at: nowMs, ...(isAppVisitor ? { is_app_visitor: 1 } : {}) };
  await tx.q.updateTable("users").set(changed).where("id", "=", id).execute();
}

/** The workspaces with this name, in both realms. */
export async function findWorkspacesNamed(tx: Tx, appId: string, name: string): Promise<string[]> {
  const found = await tx.q
    .selectFrom("workspaces")
    .select("id")
    .where("app_id", "=", appId)
    .where("name", "=", name)
    .execute();
  return found.map(({ id }) => id);
}

export async function renameWorkspace(tx: Tx, id: string, name: string): Promise<void> {
  await tx.q.updateTable("workspaces").set({ name }).where("id", "=", id).execute();
}

/** The users' addresses no longer count as verified. `userIds` selects the users. */
export async function unverifyEmails(tx: Tx, userIds: Expression<string>): Promise<void> {
  await tx.q.updateTable("users").set({ email_verified_at: null }).where("id", "in", userIds).execute();
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
 * names have none. `isOwn` is undefined if there is no such workspace. `app_id` is the app of a visitor with an
 * anonymous token, if that app has its own rules for them: then those of guests do not apply.
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
    .leftJoin("apps", (join) =>
      join
        .onRef("apps.id", "=", "workspaces.app_id")
        .on("users.is_app_visitor", "=", 1)
        .on("apps.anonymous_tokens", "is not", null),
    )
    .select(["realm", "kind", "is_owner", "apps.id as app_id"])
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

/** The user with this id, if they belong to the app. */
export async function findUser(
  tx: Tx,
  appId: string,
  id: string,
): Promise<Pick<Row<"users">, "kind" | "joined_at"> | undefined> {
  return await tx.q
    .selectFrom("users")
    .innerJoin("workspaces", "workspaces.id", "users.workspace_id")
    .select(["users.kind", "users.joined_at"])
    .where("users.id", "=", id)
    .where("workspaces.app_id", "=", appId)
    .executeTakeFirst();
}

/** Whether this is a person of this server who is no guest, in any app. */
export async function isAccount(db: Database, id: string): Promise<boolean> {
  const found = await db.read
    .selectFrom("users")
    .select("id")
    .where("id", "=", id)
    .where("kind", "!=", "anonymous")
    .executeTakeFirst();
  return found !== undefined;
}

/** Deletes a user and their sessions. */
export async function deleteUser(tx: Tx, id: string): Promise<void> {
  await tx.q.deleteFrom("users").where("id", "=", id).execute();
  publishUserChange(tx, id);
}

export async function deleteVisitors(tx: Tx, users: Pick<Row<"users">, "id">[]): Promise<void> {
  const ids = users.map(({ id }) => id);
  await tx.q.deleteFrom("users").where("id", "in", idsOf(tx, ids)).where("kind", "=", "anonymous").execute();
}

export async function deleteWorkspaces(tx: Tx, ids: string[]): Promise<void> {
  const used = tx.q.selectFrom("users").select("workspace_id");
  await tx.q.deleteFrom("workspaces").where("id", "in", idsOf(tx, ids)).where("id", "not in", used).execute();
}
