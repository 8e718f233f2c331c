import type { Tx } from "#storage/database/database.ts";
import { forUpdate } from "#storage/database/portable-sql.ts";
import { sql, type Kysely } from "#storage/database/sql.ts";
import type { NewRow, Row, RowChange, Tables } from "#storage/database/tables.ts";

/** The SQL of sign-in providers. */

export type ProviderRow = Row<"sign_in_providers"> & {
  ciphertext: string | null;
  key_id: string | null;
  people: number | string;
};

function selectProviders(q: Kysely<Tables>) {
  return q
    .selectFrom("sign_in_providers")
    .leftJoin("sign_in_provider_secrets as secrets", "secrets.provider_id", "sign_in_providers.id")
    .selectAll("sign_in_providers")
    .select(["secrets.ciphertext", "secrets.key_id"])
    .select(
      sql<number | string>`(
        select count(*) from identities where identities.provider_id = sign_in_providers.id
      )`.as("people"),
    );
}

export async function listProviders(q: Kysely<Tables>): Promise<ProviderRow[]> {
  return await selectProviders(q).orderBy("sign_in_providers.name").orderBy("sign_in_providers.id").execute();
}

export async function findProvider(q: Kysely<Tables>, id: string): Promise<ProviderRow | undefined> {
  return await selectProviders(q).where("sign_in_providers.id", "=", id).executeTakeFirst();
}

/** The provider, locked until the transaction ends. A transaction that also locks users locks them first. */
export async function lockProvider(tx: Tx, id: string): Promise<ProviderRow | undefined> {
  await forUpdate(tx, tx.q.selectFrom("sign_in_providers").select("id").where("id", "=", id)).execute();
  // A second query: on PostgreSQL, the one that waited for the lock does not see rows that were inserted meanwhile.
  return await findProvider(tx.q, id);
}

/** The names on the buttons of the sign-in page. */
export async function listProviderNames(
  q: Kysely<Tables>,
): Promise<{ id: string; name: string; asks_password: boolean }[]> {
  const found = await q
    .selectFrom("sign_in_providers")
    .select(["id", "name", "kind"])
    .orderBy("name")
    .orderBy("id")
    .execute();
  return found.map(({ id, name, kind }) => ({ id, name, asks_password: kind === "ldap" }));
}

export async function insertProvider(tx: Tx, provider: NewRow<"sign_in_providers">): Promise<void> {
  await tx.q.insertInto("sign_in_providers").values(provider).execute();
}

export async function updateProvider(
  tx: Tx,
  id: string,
  change: RowChange<"sign_in_providers">,
): Promise<void> {
  await tx.q.updateTable("sign_in_providers").set(change).where("id", "=", id).execute();
}

export async function deleteProvider(tx: Tx, id: string): Promise<void> {
  await tx.q.deleteFrom("sign_in_providers").where("id", "=", id).execute();
}

export async function putSecret(tx: Tx, secret: NewRow<"sign_in_provider_secrets">): Promise<void> {
  await tx.q
    .insertInto("sign_in_provider_secrets")
    .values(secret)
    .onConflict((conflict) => conflict.column("provider_id").doUpdateSet(secret))
    .execute();
}

export async function deleteSecret(tx: Tx, providerId: string): Promise<void> {
  await tx.q.deleteFrom("sign_in_provider_secrets").where("provider_id", "=", providerId).execute();
}
