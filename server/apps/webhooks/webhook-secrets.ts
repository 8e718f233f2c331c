import { createHmac, randomBytes } from "node:crypto";
import type { Database } from "#storage/database/database.ts";
import { createSecretVault, rotateSecrets, type SecretVault } from "#server/sign-in/secret-vault.ts";
import * as rows from "./rows.ts";

const prefix = "whsec_";
const secretBytes = 32;

export function createWebhookVault(secret: string): SecretVault {
  return createSecretVault(secret, "parlance: secrets of webhooks");
}

export function newSecret(): string {
  return prefix + randomBytes(secretBytes).toString("base64");
}

/** The secret; `undefined` if it was encrypted with another server's secret. */
export function secretOf(vault: SecretVault, row: rows.SecretRow): string | undefined {
  return vault.decrypt({ ciphertext: row.ciphertext, keyId: row.key_id }, row.webhook_id);
}

/** The headers of Standard Webhooks, with a signature for each secret. */
export function signedHeaders(
  secrets: readonly string[],
  { id, atMs, body }: { id: string; atMs: number; body: string },
): Record<string, string> {
  const timestamp = String(Math.floor(atMs / 1_000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), "base64");
    return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
  });
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.join(" "),
  };
}

/** Encrypts secrets that use `oldSecret` with the new one. `left`: how many use a third secret. */
export async function rotateWebhookSecrets(
  db: Database,
  { oldSecret, secret }: { oldSecret: string; secret: string },
): Promise<{ rotated: number; left: number }> {
  const vaults = { oldVault: createWebhookVault(oldSecret), vault: createWebhookVault(secret) };
  return await db.write(
    async (tx) =>
      await rotateSecrets(await rows.listSecrets(tx.q), vaults, secretOf, async (row, plain) => {
        await rows.changeSecret(tx, row.id, vaults.vault.encrypt(plain, row.webhook_id));
      }),
  );
}
