import type { Database, Tx } from "#storage/database/database.ts";
import type { Row, RowChange } from "#storage/database/tables.ts";

/** The SQL of the providers that administrators added, and of their keys. */

export type ProviderRow = Row<"model_providers">;
export type KeyRow = Row<"model_provider_keys">;
export type ProviderWithKey = ProviderRow & {
  ciphertext: string | null;
  key_id: string | null;
  last_four: string | null;
};

/** All providers with their keys, in order. */
export async function listProviders(db: Pick<Database, "read">): Promise<ProviderWithKey[]> {
  return await db.read
    .selectFrom("model_providers")
    .leftJoin("model_provider_keys", "provider_id", "id")
    .selectAll("model_providers")
    .select(["ciphertext", "key_id", "last_four"])
    .orderBy("position")
    .orderBy("id")
    .execute();
}

export async function insertProvider(tx: Tx, row: ProviderRow): Promise<void> {
  await tx.q.insertInto("model_providers").values(row).execute();
}

/** Changes a provider if it still has this version. Returns whether it had. */
export async function updateProvider(
  tx: Tx,
  { id, version }: Pick<ProviderRow, "id" | "version">,
  change: RowChange<"model_providers">,
): Promise<boolean> {
  const { numUpdatedRows } = await tx.q
    .updateTable("model_providers")
    .set(change)
    .where("id", "=", id)
    .where("version", "=", version)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Clears the default model of all providers, because the server has one default model. */
export async function clearDefault(tx: Tx, nowMs: number): Promise<void> {
  await tx.q
    .updateTable("model_providers")
    .set((row) => ({ default_model: null, version: row("version", "+", 1), updated_at: nowMs }))
    .where("default_model", "is not", null)
    .execute();
}

/** Makes this model the server's default. Follows `updateProvider` in the same transaction. */
export async function makeDefault(tx: Tx, id: string, modelId: string, nowMs: number): Promise<void> {
  const row = await tx.q
    .selectFrom("model_providers")
    .select("default_model")
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  if (row.default_model === null) await clearDefault(tx, nowMs);
  await tx.q.updateTable("model_providers").set({ default_model: modelId }).where("id", "=", id).execute();
}

export async function setPosition(tx: Tx, id: string, position: number): Promise<void> {
  await tx.q.updateTable("model_providers").set({ position }).where("id", "=", id).execute();
}

/** Returns whether it existed. */
export async function deleteProvider(tx: Tx, id: string): Promise<boolean> {
  await deleteKey(tx, id);
  const { numDeletedRows } = await tx.q.deleteFrom("model_providers").where("id", "=", id).executeTakeFirst();
  return numDeletedRows === 1n;
}

export async function putKey(tx: Tx, row: KeyRow): Promise<void> {
  await deleteKey(tx, row.provider_id);
  await tx.q.insertInto("model_provider_keys").values(row).execute();
}

export async function deleteKey(tx: Tx, providerId: string): Promise<void> {
  await tx.q.deleteFrom("model_provider_keys").where("provider_id", "=", providerId).execute();
}
