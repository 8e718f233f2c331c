import type { Database } from "#storage/database/database.ts";
import { createSecretVault, rotateSecrets, type SecretVault } from "#server/sign-in/secret-vault.ts";
import * as rows from "./rows.ts";

export function createMailVault(secret: string): SecretVault {
  return createSecretVault(secret, "parlance: password of the mail server");
}

/** What the password belongs to. It is never sent to another server. */
export function contextOf({
  host,
  port,
  username,
}: Pick<rows.MailRow, "host" | "port" | "username">): string {
  return `${username ?? ""}@${host}:${port}`;
}

/** The password; `undefined` if there is none, or if it was encrypted with another server's secret. */
export function mailPasswordOf(vault: SecretVault, row: rows.MailRow): string | undefined {
  if (row.ciphertext === null || row.key_id === null) return undefined;
  return vault.decrypt({ ciphertext: row.ciphertext, keyId: row.key_id }, contextOf(row));
}

/** Encrypts a password that uses `oldSecret` with the new one. `left`: how many use a third secret. */
export async function rotateMailPassword(
  db: Database,
  { oldSecret, secret }: { oldSecret: string; secret: string },
): Promise<{ rotated: number; left: number }> {
  const vaults = { oldVault: createMailVault(oldSecret), vault: createMailVault(secret) };
  return await db.write(async (tx) => {
    const row = await rows.findMailSettings(tx.q);
    const stored = row === undefined || row.ciphertext === null ? [] : [row];
    return await rotateSecrets(
      stored,
      vaults,
      mailPasswordOf,
      async (of, password) => await rows.putMailSecret(tx, vaults.vault.encrypt(password, contextOf(of))),
    );
  });
}
