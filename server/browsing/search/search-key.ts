import type { Database } from "#storage/database/database.ts";
import { createSecretVault, rotateSecrets, type SecretVault } from "#server/sign-in/secret-vault.ts";
import * as rows from "./rows.ts";

export function createSearchVault(secret: string): SecretVault {
  return createSecretVault(secret, "parlance: key of the search service");
}

/** What the key belongs to. It is never sent to another service. */
export function contextOf({ service, address }: Pick<rows.WebSearchRow, "service" | "address">): string {
  return `${service} ${address ?? ""}`;
}

/** The key; `undefined` if there is none, or if it was encrypted with another server's secret. */
export function searchKeyOf(vault: SecretVault, row: rows.WebSearchRow): string | undefined {
  if (row.ciphertext === null || row.key_id === null) return undefined;
  return vault.decrypt({ ciphertext: row.ciphertext, keyId: row.key_id }, contextOf(row));
}

/** Encrypts a key that uses `oldSecret` with the new one. `left`: how many use a third secret. */
export async function rotateSearchKey(
  db: Database,
  { oldSecret, secret }: { oldSecret: string; secret: string },
): Promise<{ rotated: number; left: number }> {
  const vaults = { oldVault: createSearchVault(oldSecret), vault: createSearchVault(secret) };
  return await db.write(async (tx) => {
    const row = await rows.findWebSearch(tx.q);
    const stored = row === undefined || row.ciphertext === null ? [] : [row];
    return await rotateSecrets(
      stored,
      vaults,
      searchKeyOf,
      async (of, key) => await rows.putWebSearchKey(tx, vaults.vault.encrypt(key, contextOf(of))),
    );
  });
}
