import type { Database } from "#storage/database/database.ts";
import { createSecretVault, rotateSecrets, type SecretVault } from "#server/sign-in/secret-vault.ts";
import type { Row } from "#storage/database/tables.ts";
import * as rows from "./rows.ts";

export function createBackupVault(secret: string): SecretVault {
  return createSecretVault(secret, "parlance: passphrase of backups");
}

/** The secret; `undefined` if it was encrypted with another server's secret. */
export function backupSecretOf(vault: SecretVault, row: Row<"backup_secrets">): string | undefined {
  return vault.decrypt({ ciphertext: row.ciphertext, keyId: row.key_id }, row.id);
}

/** Encrypts secrets that use `oldSecret` with the new one. `left`: how many use a third secret. */
export async function rotateBackupSecrets(
  db: Database,
  { oldSecret, secret }: { oldSecret: string; secret: string },
): Promise<{ rotated: number; left: number }> {
  const vaults = { oldVault: createBackupVault(oldSecret), vault: createBackupVault(secret) };
  return await db.write(
    async (tx) =>
      await rotateSecrets(await rows.listSecrets(tx.q), vaults, backupSecretOf, async ({ id }, plain) => {
        await rows.putSecret(tx, id, vaults.vault.encrypt(plain, id));
      }),
  );
}
