import type { Database, Tx } from "#storage/database/database.ts";
import { ownedRows } from "#server/people/owned-rows.ts";
import { sql, type Kysely, type RawBuilder } from "#storage/database/sql.ts";
import type { NewRow, Row, Tables } from "#storage/database/tables.ts";

/** The SQL of passkeys and their challenges. */

export type PasskeyRow = Row<"passkeys">;

export async function findPasskey(q: Kysely<Tables>, credentialId: string): Promise<PasskeyRow | undefined> {
  return await q
    .selectFrom("passkeys")
    .selectAll()
    .where("credential_id", "=", credentialId)
    .executeTakeFirst();
}

export const ownedPasskeys = ownedRows("passkeys", "user_id");

export async function touchPasskey(
  tx: Tx,
  { id, counter, rp_id }: Pick<PasskeyRow, "id" | "counter" | "rp_id">,
  nowMs: number,
): Promise<void> {
  await tx.q
    .updateTable("passkeys")
    .set({ counter, rp_id, last_used_at: nowMs })
    .where("id", "=", id)
    .execute();
}

/** SQL: whether a passkey works at this host name, or at an unknown one. Without a host name, all do. */
export function worksAt(host: string | undefined): RawBuilder<boolean> {
  return host === undefined ? sql<boolean>`1 = 1` : sql<boolean>`(rp_id is null or rp_id = ${host})`;
}

/** Whether the account has a passkey that works at this host name. */
export async function hasPasskeyAt(
  q: Kysely<Tables>,
  userId: string,
  host: string | undefined,
): Promise<boolean> {
  const row = await q
    .selectFrom("passkeys")
    .select("id")
    .where("user_id", "=", userId)
    .where(worksAt(host))
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export async function deletePasskeysOf(tx: Tx, userId: string): Promise<void> {
  await tx.q.deleteFrom("passkeys").where("user_id", "=", userId).execute();
}

/** Stores a challenge, and deletes those that have expired. */
export async function insertChallenge(
  tx: Tx,
  challenge: NewRow<"passkey_challenges">,
  nowMs: number,
): Promise<void> {
  await tx.q.deleteFrom("passkey_challenges").where("expires_at", "<=", nowMs).execute();
  await tx.q.insertInto("passkey_challenges").values(challenge).execute();
}

/** Takes the challenge with this hash, so that it cannot be used again; `undefined` if there is none. */
export async function takeChallenge(
  db: Database,
  challengeHash: string,
): Promise<Row<"passkey_challenges"> | undefined> {
  return await db.write(
    async (tx) =>
      await tx.q
        .deleteFrom("passkey_challenges")
        .where("challenge_hash", "=", challengeHash)
        .returningAll()
        .executeTakeFirst(),
  );
}
