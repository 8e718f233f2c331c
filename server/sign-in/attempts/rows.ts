import type { Database, Tx } from "#storage/database/database.ts";
import { lockByName } from "#storage/database/portable-sql.ts";
import type { Row } from "#storage/database/tables.ts";

/** The SQL of failed attempts. */

type FailedAttempts = Row<"failed_attempts">;

/** The rows with these keys. Another transaction that locks the same `subjectKey` waits, also if there is no row yet. */
export async function lockAttempts(
  tx: Tx,
  subjectKey: string,
  keys: string[],
): Promise<Map<string, FailedAttempts>> {
  await lockByName(tx, subjectKey);
  const found = await tx.q.selectFrom("failed_attempts").selectAll().where("key_hash", "in", keys).execute();
  return new Map(found.map((row) => [row.key_hash, row]));
}

export async function putAttempts(tx: Tx, row: FailedAttempts): Promise<void> {
  await tx.q
    .insertInto("failed_attempts")
    .values(row)
    .onConflict((conflict) => conflict.column("key_hash").doUpdateSet(row))
    .execute();
}

export async function deleteAttempts(tx: Tx, keys: string[]): Promise<void> {
  await tx.q.deleteFrom("failed_attempts").where("key_hash", "in", keys).execute();
}

/** Whether the user has had a session from this address. */
export async function hasSignedInFrom(db: Database, userId: string, address: string): Promise<boolean> {
  const session = await db.read
    .selectFrom("sessions")
    .select("id")
    .where("user_id", "=", userId)
    .where("address", "=", address)
    .limit(1)
    .executeTakeFirst();
  return session !== undefined;
}

/** Whether somebody with an identity at the provider has had a session from this address. */
export async function hasSomebodySignedInFrom(
  db: Database,
  providerId: string,
  address: string,
): Promise<boolean> {
  const session = await db.read
    .selectFrom("sessions")
    .innerJoin("identities", "identities.user_id", "sessions.user_id")
    .select("sessions.id")
    .where("identities.provider_id", "=", providerId)
    .where("sessions.address", "=", address)
    .limit(1)
    .executeTakeFirst();
  return session !== undefined;
}

/** Deletes at most `limit` rows without an attempt since `before`. Returns their number. */
export async function deleteOldAttempts(tx: Tx, before: number, limit: number): Promise<number> {
  const old = tx.q
    .selectFrom("failed_attempts")
    .select("key_hash")
    .where("last_at", "<", before)
    .orderBy("last_at")
    .limit(limit);
  const { numDeletedRows } = await tx.q
    .deleteFrom("failed_attempts")
    .where("key_hash", "in", old)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
