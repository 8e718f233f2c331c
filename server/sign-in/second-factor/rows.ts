import type { Tx } from "#storage/database/database.ts";
import type { Kysely } from "#storage/database/sql.ts";
import type { Row, Tables } from "#storage/database/tables.ts";
import type { SealedSecret } from "../secret-vault.ts";

/** The SQL of second factors. The caller has locked the user before it writes. */

export type SecondFactorRow = Row<"second_factors"> & { ciphertext: string | null; key_id: string | null };

export async function findSecondFactor(
  q: Kysely<Tables>,
  userId: string,
): Promise<SecondFactorRow | undefined> {
  return await q
    .selectFrom("second_factors")
    .leftJoin("second_factor_secrets as secrets", "secrets.user_id", "second_factors.user_id")
    .selectAll("second_factors")
    .select(["secrets.ciphertext", "secrets.key_id"])
    .where("second_factors.user_id", "=", userId)
    .executeTakeFirst();
}

export async function insertSecondFactor(
  tx: Tx,
  factor: Row<"second_factors">,
  { ciphertext, keyId }: SealedSecret,
): Promise<void> {
  await tx.q.insertInto("second_factors").values(factor).execute();
  await tx.q
    .insertInto("second_factor_secrets")
    .values({ user_id: factor.user_id, ciphertext, key_id: keyId })
    .execute();
}

/** Returns whether there was one. */
export async function deleteSecondFactor(tx: Tx, userId: string): Promise<boolean> {
  const { numDeletedRows } = await tx.q
    .deleteFrom("second_factors")
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function setLastCounter(tx: Tx, userId: string, counter: number): Promise<void> {
  await tx.q
    .updateTable("second_factors")
    .set({ last_counter: counter })
    .where("user_id", "=", userId)
    .execute();
}

export async function listSecrets(q: Kysely<Tables>): Promise<Row<"second_factor_secrets">[]> {
  return await q.selectFrom("second_factor_secrets").selectAll().execute();
}

export async function replaceSecret(
  tx: Tx,
  userId: string,
  { ciphertext, keyId }: SealedSecret,
): Promise<void> {
  await tx.q
    .updateTable("second_factor_secrets")
    .set({ ciphertext, key_id: keyId })
    .where("user_id", "=", userId)
    .execute();
}

export async function replaceRecoveryCodes(tx: Tx, userId: string, hashes: string[]): Promise<void> {
  await tx.q.deleteFrom("recovery_codes").where("user_id", "=", userId).execute();
  await tx.q
    .insertInto("recovery_codes")
    .values(hashes.map((hash) => ({ user_id: userId, code_hash: hash })))
    .execute();
}

/** Returns whether the person had this code. */
export async function deleteRecoveryCode(tx: Tx, userId: string, codeHash: string): Promise<boolean> {
  const { numDeletedRows } = await tx.q
    .deleteFrom("recovery_codes")
    .where("user_id", "=", userId)
    .where("code_hash", "=", codeHash)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function countRecoveryCodes(q: Kysely<Tables>, userId: string): Promise<number> {
  const { count } = await q
    .selectFrom("recovery_codes")
    .select(q.fn.countAll().as("count"))
    .where("user_id", "=", userId)
    .executeTakeFirstOrThrow();
  return Number(count);
}
