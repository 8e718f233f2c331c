import type { Database, Tx } from "#storage/database/database.ts";
import type { NewRow, Row } from "#storage/database/tables.ts";
import { publishCredentialChange } from "./credential-watch.ts";

/** The SQL of sessions. Functions that end a session also notify its open streams, so that no caller can forget it. */

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
  app_id: string;
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
      "workspaces.app_id as app_id",
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

export async function revokeSession(tx: Tx, id: string, nowMs: number): Promise<boolean> {
  const { numUpdatedRows } = await tx.q
    .updateTable("sessions")
    .set({ revoked_at: nowMs })
    .where("id", "=", id)
    .where("revoked_at", "is", null)
    .executeTakeFirst();
  publishCredentialChange(tx, id);
  return numUpdatedRows > 0n;
}

/** Deletes at most `limit` sessions that expired or were revoked before `before`. Returns their number. */
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
