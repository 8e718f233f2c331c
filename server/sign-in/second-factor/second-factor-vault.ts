import type { Database } from "#storage/database/database.ts";
import { createSecretVault, rotateSecrets, type SecretVault } from "../secret-vault.ts";
import * as rows from "./rows.ts";

export type SecondFactorVault = SecretVault;

export function createSecondFactorVault(secret: string): SecondFactorVault {
  return createSecretVault(secret, "parlance: secrets of second factors");
}

/** The secret of a second factor; `undefined` if it was left out of a backup or encrypted with another server's secret. */
export function secretOf(
  vault: SecondFactorVault,
  {
    user_id: userId,
    ciphertext,
    key_id: keyId,
  }: Pick<rows.SecondFactorRow, "user_id" | "ciphertext" | "key_id">,
): string | undefined {
  if (ciphertext === null || keyId === null) return undefined;
  return vault.decrypt({ ciphertext, keyId }, userId);
}

/** Encrypts secrets that use `oldSecret` with the new one. `left`: how many use a third secret. */
export async function rotateSecondFactors(
  db: Database,
  { oldSecret, secret }: { oldSecret: string; secret: string },
): Promise<{ rotated: number; left: number }> {
  const vaults = { oldVault: createSecondFactorVault(oldSecret), vault: createSecondFactorVault(secret) };
  return await db.write(
    async (tx) =>
      await rotateSecrets(
        await rows.listSecrets(tx.q),
        vaults,
        secretOf,
        async ({ user_id: userId }, plain) =>
          await rows.replaceSecret(tx, userId, vaults.vault.encrypt(plain, userId)),
      ),
  );
}
