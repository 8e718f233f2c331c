import { randomBytes } from "node:crypto";
import type { Database, Tx } from "#storage/database/database.ts";
import type { Kysely } from "#storage/database/sql.ts";
import type { NewRow, Row, RowChange, Tables } from "#storage/database/tables.ts";
import type { SealedSecret } from "#server/sign-in/secret-vault.ts";

/** The SQL of the settings and the state of backups. */

export type SecretName = Row<"backup_secrets">["id"];

export async function findSettings(q: Kysely<Tables>): Promise<Row<"backup_settings"> | undefined> {
  return await q.selectFrom("backup_settings").selectAll().executeTakeFirst();
}

export async function putSettings(tx: Tx, row: Row<"backup_settings">): Promise<void> {
  await tx.q
    .insertInto("backup_settings")
    .values(row)
    .onConflict((conflict) => conflict.column("id").doUpdateSet(row))
    .execute();
}

export async function listSecrets(q: Kysely<Tables>): Promise<Row<"backup_secrets">[]> {
  return await q.selectFrom("backup_secrets").selectAll().execute();
}

export async function putSecret(tx: Tx, id: SecretName, { ciphertext, keyId }: SealedSecret): Promise<void> {
  const row = { id, ciphertext, key_id: keyId };
  await tx.q
    .insertInto("backup_secrets")
    .values(row)
    .onConflict((conflict) => conflict.column("id").doUpdateSet(row))
    .execute();
}

export async function deleteSecret(tx: Tx, id: SecretName): Promise<void> {
  await tx.q.deleteFrom("backup_secrets").where("id", "=", id).execute();
}

/** Returns whether there were settings. */
export async function deleteSettings(tx: Tx): Promise<boolean> {
  await tx.q.deleteFrom("backup_secrets").execute();
  const { numDeletedRows } = await tx.q.deleteFrom("backup_settings").executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function findState(q: Kysely<Tables>): Promise<Row<"backup_state"> | undefined> {
  return await q.selectFrom("backup_state").selectAll().executeTakeFirst();
}

export async function changeState(tx: Tx, change: RowChange<"backup_state">): Promise<void> {
  await tx.q
    .insertInto("backup_state")
    .values({ id: "server", ...change } as NewRow<"backup_state">)
    .onConflict((conflict) => conflict.column("id").doUpdateSet(change))
    .execute();
}

/** Whether a server makes a backup, or is about to. */
export async function hasJob(q: Kysely<Tables>): Promise<boolean> {
  const row = await q.selectFrom("jobs").select("id").where("kind", "=", "backup").executeTakeFirst();
  return row !== undefined;
}

/** The name of this installation. The first server gives it one. */
export async function installationName(db: Database, nowMs: number): Promise<string> {
  const find = async (q: Kysely<Tables>) =>
    await q.selectFrom("installations").select("name").executeTakeFirst();
  const found = await find(db.read);
  if (found !== undefined) return found.name;
  return await db.write(async (tx) => {
    const row = { id: "server" as const, name: randomBytes(4).toString("hex"), created_at: nowMs };
    await tx.q
      .insertInto("installations")
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    return (await find(tx.q))!.name;
  });
}

/** Owners and administrators with an e-mail address. */
export async function listRecipients(
  q: Kysely<Tables>,
): Promise<{ email: string; language: string | null }[]> {
  const found = await q
    .selectFrom("users")
    .leftJoin("profiles", "profiles.user_id", "users.id")
    .select(["users.email", "profiles.language"])
    .where("users.kind", "=", "admin")
    .where("users.joined_at", "is not", null)
    .where("users.disabled_at", "is", null)
    .execute();
  return found.flatMap(({ email, language }) => (email === null ? [] : [{ email, language }]));
}

/** Whether nobody has used the server yet: there are no threads, and no accounts besides that of its owner. */
export async function isUnused(q: Kysely<Tables>): Promise<boolean> {
  const thread = await q.selectFrom("threads").select("id").limit(1).executeTakeFirst();
  const person = await q
    .selectFrom("users")
    .select("id")
    .where("joined_at", "is not", null)
    .where("is_owner", "=", 0)
    .limit(1)
    .executeTakeFirst();
  return thread === undefined && person === undefined;
}
