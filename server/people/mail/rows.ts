import type { Tx } from "#storage/database/database.ts";
import type { Kysely } from "#storage/database/sql.ts";
import type { Row, Tables } from "#storage/database/tables.ts";
import type { SealedSecret } from "#server/sign-in/secret-vault.ts";

/** The SQL of the mail server's settings. */

export type MailRow = Row<"mail_settings"> & { ciphertext: string | null; key_id: string | null };

export async function findMailSettings(q: Kysely<Tables>): Promise<MailRow | undefined> {
  return await q
    .selectFrom("mail_settings")
    .leftJoin("mail_secrets as secrets", "secrets.id", "mail_settings.id")
    .selectAll("mail_settings")
    .select(["secrets.ciphertext", "secrets.key_id"])
    .executeTakeFirst();
}

export async function putMailSettings(tx: Tx, row: Row<"mail_settings">): Promise<void> {
  await tx.q
    .insertInto("mail_settings")
    .values(row)
    .onConflict((conflict) => conflict.column("id").doUpdateSet(row))
    .execute();
}

export async function putMailSecret(tx: Tx, { ciphertext, keyId }: SealedSecret): Promise<void> {
  const row = { id: "server" as const, ciphertext, key_id: keyId };
  await tx.q
    .insertInto("mail_secrets")
    .values(row)
    .onConflict((conflict) => conflict.column("id").doUpdateSet(row))
    .execute();
}

export async function deleteMailSecret(tx: Tx): Promise<void> {
  await tx.q.deleteFrom("mail_secrets").execute();
}

/** Returns whether there were settings. */
export async function deleteMailSettings(tx: Tx): Promise<boolean> {
  const { numDeletedRows } = await tx.q.deleteFrom("mail_settings").executeTakeFirst();
  return numDeletedRows > 0n;
}
