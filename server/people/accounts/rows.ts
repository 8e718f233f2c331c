import type { Tx } from "#storage/database/database.ts";
import { forUpdate } from "#storage/database/portable-sql.ts";
import type { Kysely } from "#storage/database/sql.ts";
import type { NewRow, Row, RowChange, Tables } from "#storage/database/tables.ts";
import { isOfPerson } from "../users/rows.ts";

/** The SQL of accounts: the columns of users that guests do not have, passwords, links and requests to join. */

export type AccountRow = Row<"users"> & {
  password_hash: string | null;
  workspace_name: string;
  app_id: string;
};

function selectAccounts(q: Kysely<Tables>) {
  return q
    .selectFrom("users")
    .innerJoin("workspaces", "workspaces.id", "users.workspace_id")
    .leftJoin("passwords", "passwords.user_id", "users.id")
    .selectAll("users")
    .select([
      "passwords.hash as password_hash",
      "workspaces.name as workspace_name",
      "workspaces.app_id as app_id",
    ]);
}

export async function findAccount(
  q: Kysely<Tables>,
  by: { id: string } | { emailKey: string },
): Promise<AccountRow | undefined> {
  return await selectAccounts(q)
    .where("id" in by ? "users.id" : "users.email_key", "=", "id" in by ? by.id : by.emailKey)
    .executeTakeFirst();
}

/** Locks users in the order of their ids, and returns them as accounts. Missing ones are left out. */
export async function lockUsers(tx: Tx, ids: string[]): Promise<Map<string, AccountRow>> {
  const unique = [...new Set(ids)].toSorted();
  await forUpdate(
    tx,
    tx.q.selectFrom("users").select("id").where("id", "in", unique).orderBy("id"),
  ).execute();
  // A second query: on PostgreSQL, the one that waited for the lock does not see joined rows that were inserted meanwhile.
  const found = await selectAccounts(tx.q).where("users.id", "in", unique).execute();
  return new Map(found.map((row) => [row.id, row]));
}

/** The people whose accounts are to be deleted by now. Suspended people, who cannot undo it, wait. */
export async function listDueDeletions(q: Kysely<Tables>, nowMs: number): Promise<string[]> {
  const due = await q
    .selectFrom("users")
    .select("id")
    .where("deletion_due_at", "<=", nowMs)
    .where("disabled_at", "is", null)
    .orderBy("deletion_due_at")
    .execute();
  return due.map(({ id }) => id);
}

/** Whether an owner has an account, so that the owner's link no longer signs in. */
export async function hasOwnerAccount(q: Kysely<Tables>): Promise<boolean> {
  const row = await q
    .selectFrom("users")
    .select("id")
    .where("is_owner", "=", 1)
    .where("joined_at", "is not", null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Whether anybody has an account. */
export async function hasAccounts(q: Kysely<Tables>): Promise<boolean> {
  const row = await q
    .selectFrom("users")
    .select("id")
    .where("joined_at", "is not", null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Whether this user is suspended, or is deleting the account. Users of a backend, who can have any id, are in other workspaces. */
export async function isInactive(
  q: Kysely<Tables>,
  { userId, workspaceId }: { userId: string; workspaceId: string },
): Promise<boolean> {
  const row = await q
    .selectFrom("users")
    .select("id")
    .where("id", "=", userId)
    .where(isOfPerson(workspaceId))
    .where((is) => is.or([is("disabled_at", "is not", null), is("deletion_due_at", "is not", null)]))
    .executeTakeFirst();
  return row !== undefined;
}

/** The owner who has been here longest. */
export async function findFirstOwner(q: Kysely<Tables>): Promise<Row<"users"> | undefined> {
  return await q
    .selectFrom("users")
    .selectAll()
    .where("is_owner", "=", 1)
    .orderBy("created_at")
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
}

export async function changeUser(tx: Tx, id: string, change: RowChange<"users">): Promise<void> {
  await tx.q.updateTable("users").set(change).where("id", "=", id).execute();
}

export async function putPassword(tx: Tx, userId: string, hash: string, nowMs: number): Promise<void> {
  await tx.q
    .insertInto("passwords")
    .values({ user_id: userId, hash, changed_at: nowMs })
    .onConflict((conflict) => conflict.column("user_id").doUpdateSet({ hash, changed_at: nowMs }))
    .execute();
}

export async function deletePassword(tx: Tx, userId: string): Promise<void> {
  await tx.q.deleteFrom("passwords").where("user_id", "=", userId).execute();
}

export async function insertToken(tx: Tx, token: NewRow<"account_tokens">): Promise<void> {
  await tx.q.insertInto("account_tokens").values(token).execute();
}

export async function findUsableToken(
  q: Kysely<Tables>,
  purpose: Row<"account_tokens">["purpose"],
  tokenHash: string,
  nowMs: number,
): Promise<Row<"account_tokens"> | undefined> {
  return await q
    .selectFrom("account_tokens")
    .selectAll()
    .where("token_hash", "=", tokenHash)
    .where("purpose", "=", purpose)
    .where("used_at", "is", null)
    .where("expires_at", ">", nowMs)
    .executeTakeFirst();
}

export async function deleteToken(tx: Tx, tokenHash: string): Promise<void> {
  await tx.q.deleteFrom("account_tokens").where("token_hash", "=", tokenHash).execute();
}

/** Marks all unused links of a user as used, except that with `exceptHash`. */
export async function endTokensOf(tx: Tx, userId: string, nowMs: number, exceptHash = ""): Promise<void> {
  await tx.q
    .updateTable("account_tokens")
    .set({ used_at: nowMs })
    .where("user_id", "=", userId)
    .where("used_at", "is", null)
    .where("token_hash", "!=", exceptHash)
    .execute();
}

export async function insertJoinRequest(tx: Tx, userId: string, nowMs: number): Promise<void> {
  await tx.q.insertInto("join_requests").values({ user_id: userId, created_at: nowMs }).execute();
}

/** Returns whether the user had a request. */
export async function deleteJoinRequest(tx: Tx, userId: string): Promise<boolean> {
  const { numDeletedRows } = await tx.q
    .deleteFrom("join_requests")
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
