import type { Database, Tx } from "#storage/database/database.ts";
import { forUpdate } from "#storage/database/portable-sql.ts";
import type { Kysely } from "#storage/database/sql.ts";
import type { NewRow, Row, Tables } from "#storage/database/tables.ts";

/** The SQL of invitations. */

/** An invitation, and who created it. */
export type InvitationRow = Row<"invitations"> & {
  inviter_name: string | null;
  inviter_kind: Row<"users">["kind"] | null;
  inviter_disabled_at: number | null;
  inviter_deletion_due_at: number | null;
};

function selectInvitations(q: Kysely<Tables>) {
  return q
    .selectFrom("invitations")
    .leftJoin("users", "users.id", "invitations.created_by")
    .selectAll("invitations")
    .select([
      "users.name as inviter_name",
      "users.kind as inviter_kind",
      "users.disabled_at as inviter_disabled_at",
      "users.deletion_due_at as inviter_deletion_due_at",
    ]);
}

export async function findInvitation(
  q: Kysely<Tables>,
  tokenHash: string,
): Promise<InvitationRow | undefined> {
  return await selectInvitations(q).where("token_hash", "=", tokenHash).executeTakeFirst();
}

export async function lockInvitation(tx: Tx, tokenHash: string): Promise<InvitationRow | undefined> {
  const lock = tx.q.selectFrom("invitations").select("id").where("token_hash", "=", tokenHash);
  await forUpdate(tx, lock).execute();
  return await findInvitation(tx.q, tokenHash);
}

export async function insertInvitation(tx: Tx, invitation: NewRow<"invitations">): Promise<void> {
  await tx.q.insertInto("invitations").values(invitation).execute();
}

export async function markInvitationUsed(tx: Tx, id: string, userId: string, nowMs: number): Promise<void> {
  await tx.q
    .updateTable("invitations")
    .set({ used_at: nowMs, used_by: userId })
    .where("id", "=", id)
    .execute();
}

/** The invitations that can still be used, newest first. */
export async function listOpenInvitations(
  db: Database,
  nowMs: number,
  limit: number,
): Promise<InvitationRow[]> {
  return await selectInvitations(db.read)
    .where("invitations.used_at", "is", null)
    .where("invitations.revoked_at", "is", null)
    .where("invitations.expires_at", ">", nowMs)
    // As `isUsable` says.
    .where("users.kind", "=", "admin")
    .where("users.disabled_at", "is", null)
    .where("users.deletion_due_at", "is", null)
    .orderBy("invitations.created_at", "desc")
    .orderBy("invitations.id", "desc")
    .limit(limit)
    .execute();
}

/** Returns whether the invitation existed and could still be used. */
export async function revokeInvitation(tx: Tx, id: string, nowMs: number): Promise<boolean> {
  const { numUpdatedRows } = await tx.q
    .updateTable("invitations")
    .set({ revoked_at: nowMs })
    .where("id", "=", id)
    .where("used_at", "is", null)
    .where("revoked_at", "is", null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
