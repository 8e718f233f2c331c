import type { Database, Tx } from "#storage/database/database.ts";
import { createSecretVault, rotateSecrets, type SecretVault } from "../secret-vault.ts";
import * as rows from "./rows.ts";

/** What a secret belongs to. A stored secret is never sent to another issuer. */
type SecretOwner = Pick<rows.ProviderRow, "id" | "issuer">;

export function createClientSecretVault(secret: string): SecretVault {
  return createSecretVault(secret, "parlance: client secrets of sign-in providers");
}

/** The decrypted secret; `undefined` if there is none, or if it was encrypted with another server's secret. */
export function clientSecretOf(vault: SecretVault, row: rows.ProviderRow): string | undefined {
  if (row.ciphertext === null || row.key_id === null) return undefined;
  return vault.decrypt({ ciphertext: row.ciphertext, keyId: row.key_id }, contextOf(row));
}

export async function storeClientSecret(
  tx: Tx,
  vault: SecretVault,
  owner: SecretOwner,
  clientSecret: string,
): Promise<void> {
  const { ciphertext, keyId } = vault.encrypt(clientSecret, contextOf(owner));
  await rows.putSecret(tx, { provider_id: owner.id, ciphertext, key_id: keyId });
}

/** Encrypts secrets that use `oldSecret` with the new one. `left`: how many use a third secret. */
export async function rotateClientSecrets(
  db: Database,
  { oldSecret, secret }: { oldSecret: string; secret: string },
): Promise<{ rotated: number; left: number }> {
  const vaults = { oldVault: createClientSecretVault(oldSecret), vault: createClientSecretVault(secret) };
  return await db.write(async (tx) => {
    const stored = (await rows.listProviders(tx.q)).filter(({ ciphertext }) => ciphertext !== null);
    return await rotateSecrets(
      stored,
      vaults,
      clientSecretOf,
      async (row, clientSecret) => await storeClientSecret(tx, vaults.vault, row, clientSecret),
    );
  });
}

function contextOf({ id, issuer }: SecretOwner): string {
  // The origin, also for the schemes of LDAP, which have none.
  const { protocol, host } = new URL(issuer);
  return `${id} ${protocol}//${host}`;
}
