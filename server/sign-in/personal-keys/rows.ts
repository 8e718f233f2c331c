import type { Database, Tx } from "#storage/database/database.ts";
import type { NewRow, Row } from "#storage/database/tables.ts";
import { publishCredentialChange } from "../credential-watch.ts";

/** The SQL of personal keys. */

/** A key, even if it has ended, with its user. */
export type KeyWithUser = Row<"personal_keys"> & {
  user_kind: Row<"users">["kind"];
  user_is_owner: number;
  user_disabled_at: number | null;
  user_deletion_due_at: number | null;
  workspace_id: string;
  workspace_name: string;
  app_id: string;
};

export async function findKey(
  db: Database,
  by: { hash: string } | { id: string },
): Promise<KeyWithUser | undefined> {
  return await db.read
    .selectFrom("personal_keys")
    .innerJoin("users", "users.id", "personal_keys.user_id")
    .innerJoin("workspaces", "workspaces.id", "users.workspace_id")
    .selectAll("personal_keys")
    .select([
      "users.kind as user_kind",
      "users.is_owner as user_is_owner",
      "users.disabled_at as user_disabled_at",
      "users.deletion_due_at as user_deletion_due_at",
      "workspaces.id as workspace_id",
      "workspaces.name as workspace_name",
      "workspaces.app_id as app_id",
    ])
    .where("id" in by ? "personal_keys.id" : "key_hash", "=", "id" in by ? by.id : by.hash)
    .executeTakeFirst();
}

/** The keys of a user that are not revoked, also expired ones, newest first. */
export async function listKeys(q: Database["read"], userId: string): Promise<Row<"personal_keys">[]> {
  return await q
    .selectFrom("personal_keys")
    .selectAll()
    .where("user_id", "=", userId)
    .where("revoked_at", "is", null)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .execute();
}

export async function insertKey(tx: Tx, key: NewRow<"personal_keys">): Promise<void> {
  await tx.q.insertInto("personal_keys").values(key).execute();
}

export async function touchKey(tx: Tx, id: string, nowMs: number): Promise<void> {
  await tx.q.updateTable("personal_keys").set({ last_used_at: nowMs }).where("id", "=", id).execute();
}

/** Revokes a key of the user. Returns whether it existed. */
export async function revokeKey(tx: Tx, id: string, userId: string, nowMs: number): Promise<boolean> {
  const { numUpdatedRows } = await tx.q
    .updateTable("personal_keys")
    .set({ revoked_at: nowMs })
    .where("id", "=", id)
    .where("user_id", "=", userId)
    .where("revoked_at", "is", null)
    .executeTakeFirst();
  publishCredentialChange(tx, id);
  return numUpdatedRows > 0n;
}
