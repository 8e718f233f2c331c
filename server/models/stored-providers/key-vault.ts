import { createSecretVault, type SealedSecret } from "#server/sign-in/secret-vault.ts";
import type { Tx } from "#storage/database/database.ts";
import { putKey, type ProviderWithKey } from "./rows.ts";

/** Encrypts the keys of providers with a key that is derived from the server's secret. */
export type KeyVault = ReturnType<typeof createKeyVault>;

/** What an encrypted key belongs to. With another provider or host, it cannot be decrypted. */
export type KeyOwner = { providerId: string; baseUrl: string };

export function createKeyVault(secret: string) {
  const vault = createSecretVault(secret, "parlance: keys of model providers");
  return {
    encrypt: (plain: string, owner: KeyOwner) => vault.encrypt(plain, contextOf(owner)),
    /** The key; `undefined` if it was encrypted with another secret or for something else. */
    decrypt: (sealed: SealedSecret, owner: KeyOwner) => vault.decrypt(sealed, contextOf(owner)),
  };
}

/** The decrypted key; `undefined` if there is none or it was encrypted with another secret. */
export function keyOf(vault: KeyVault, row: ProviderWithKey): string | undefined {
  if (row.ciphertext === null || row.key_id === null) return undefined;
  const owner = { providerId: row.id, baseUrl: row.base_url };
  return vault.decrypt({ ciphertext: row.ciphertext, keyId: row.key_id }, owner);
}

/** Encrypts the key and stores it in place of the provider's former one. */
export async function storeKey(tx: Tx, vault: KeyVault, owner: KeyOwner, apiKey: string): Promise<void> {
  const { ciphertext, keyId } = vault.encrypt(apiKey, owner);
  await putKey(tx, { provider_id: owner.providerId, ciphertext, key_id: keyId, last_four: hint(apiKey) });
}

/**
 * The last four characters, by which people recognize a key; none of a short key, which they would reveal too much of.
 */
function hint(apiKey: string): string {
  return apiKey.length < 8 ? "****" : apiKey.slice(-4);
}

function contextOf({ providerId, baseUrl }: KeyOwner): string {
  return `${providerId} ${new URL(baseUrl).origin}`;
}
