import type { Tx } from "#storage/database/database.ts";
import type { Kysely } from "#storage/database/sql.ts";
import type { Row, Tables } from "#storage/database/tables.ts";
import type { SealedSecret } from "#server/sign-in/secret-vault.ts";

/** The SQL of the search service's settings. */

export type WebSearchRow = Row<"web_search"> & { ciphertext: string | null; key_id: string | null };

export async function findWebSearch(q: Kysely<Tables>): Promise<WebSearchRow | undefined> {
  return await q
    .selectFrom("web_search")
    .leftJoin("web_search_secrets as secrets", "secrets.id", "web_search.id")
    .selectAll("web_search")
    .select(["secrets.ciphertext", "secrets.key_id"])
    .executeTakeFirst();
}

export async function putWebSearch(tx: Tx, row: Row<"web_search">): Promise<void> {
  await tx.q
    .insertInto("web_search")
    .values(row)
    .onConflict((conflict) => conflict.column("id").doUpdateSet(row))
    .execute();
}

export async function putWebSearchKey(tx: Tx, { ciphertext, keyId }: SealedSecret): Promise<void> {
  const row = { id: "server" as const, ciphertext, key_id: keyId };
  await tx.q
    .insertInto("web_search_secrets")
    .values(row)
    .onConflict((conflict) => conflict.column("id").doUpdateSet(row))
    .execute();
}

export async function deleteWebSearchKey(tx: Tx): Promise<void> {
  await tx.q.deleteFrom("web_search_secrets").execute();
}

/** Returns whether there were settings. */
export async function deleteWebSearch(tx: Tx): Promise<boolean> {
  const { numDeletedRows } = await tx.q.deleteFrom("web_search").executeTakeFirst();
  return numDeletedRows > 0n;
}
