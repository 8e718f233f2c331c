import type { Database, Tx } from "#storage/database/database.ts";
import { sql } from "#storage/database/sql.ts";
import type { NewRow, Row } from "#storage/database/tables.ts";
import { publishCredentialChange } from "#server/sign-in/credential-watch.ts";

/** The SQL of API keys. Functions that end a key also notify its open streams, so that no caller can forget it. */

export async function revokeApiKey(tx: Tx, id: string, nowMs: number): Promise<boolean> {
  const { numUpdatedRows } = await tx.q
    .updateTable("api_keys")
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

/** All keys, or a page of those of an app, newest first. */
export async function listApiKeys(
  db: Database,
  page?: { appId: string; after: Row<"api_keys"> | undefined; limit: number },
): Promise<Row<"api_keys">[]> {
  let query = db.read.selectFrom("api_keys").selectAll().orderBy("created_at", "desc").orderBy("id", "desc");
  if (page !== undefined) {
    const { appId, after, limit } = page;
    query = query.where("app_id", "=", appId).limit(limit);
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
