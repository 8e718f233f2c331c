import type { Tx } from "#storage/database/database.ts";
import type { Kysely } from "#storage/database/sql.ts";
import type { Row, Tables } from "#storage/database/tables.ts";

/** The SQL of who accounts are to the proxy. */

export async function findProxyIdentity(
  q: Kysely<Tables>,
  subject: string,
): Promise<Row<"proxy_identities"> | undefined> {
  return await q.selectFrom("proxy_identities").selectAll().where("subject", "=", subject).executeTakeFirst();
}

export async function insertProxyIdentity(
  tx: Tx,
  subject: string,
  userId: string,
  nowMs: number,
): Promise<void> {
  await tx.q
    .insertInto("proxy_identities")
    .values({ subject, user_id: userId, created_at: nowMs, last_used_at: nowMs })
    .execute();
}

export async function touchProxyIdentity(tx: Tx, subject: string, nowMs: number): Promise<void> {
  await tx.q
    .updateTable("proxy_identities")
    .set({ last_used_at: nowMs })
    .where("subject", "=", subject)
    .execute();
}

export async function findProxyIdentityOf(
  q: Kysely<Tables>,
  userId: string,
): Promise<Row<"proxy_identities"> | undefined> {
  return await q.selectFrom("proxy_identities").selectAll().where("user_id", "=", userId).executeTakeFirst();
}

/** Returns whether there was one. */
export async function deleteProxyIdentityOf(tx: Tx, userId: string): Promise<boolean> {
  const { numDeletedRows } = await tx.q
    .deleteFrom("proxy_identities")
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
