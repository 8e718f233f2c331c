import type { Database, Tx } from "#storage/database/database.ts";
import { createSecretVault, rotateSecrets, type SecretVault } from "#server/sign-in/secret-vault.ts";
import * as rows from "./rows.ts";
import * as signInRows from "./sign-in/rows.ts";

/** What is stored encrypted for a tool server. */
export type ServerSecrets = {
  headers: readonly { name: string; value: string }[];
  clientSecret?: string | undefined;
};

export function createToolServerVault(secret: string): SecretVault {
  return createSecretVault(secret, "parlance: keys and sign-ins of tool servers");
}

/** The secrets of a server; `undefined` if they were encrypted with another server's secret, or for another origin. */
export function secretsOf(vault: SecretVault, row: rows.ToolServerRow): ServerSecrets | undefined {
  if (row.has_secret === 0) return { headers: [] };
  if (row.ciphertext === null || row.key_id === null) return undefined;
  const text = vault.decrypt({ ciphertext: row.ciphertext, keyId: row.key_id }, contextOf(row));
  return text === undefined ? undefined : (JSON.parse(text) as ServerSecrets);
}

/** Encrypts the secrets and stores them in place of the former ones. Returns whether there are any. */
export async function storeSecrets(
  tx: Tx,
  vault: SecretVault,
  server: { id: string; url: string },
  secrets: ServerSecrets,
): Promise<boolean> {
  if (secrets.headers.length === 0 && secrets.clientSecret === undefined) {
    await rows.deleteSecret(tx, server.id);
    return false;
  }
  const { ciphertext, keyId } = vault.encrypt(JSON.stringify(secrets), contextOf(server));
  await rows.putSecret(tx, { server_id: server.id, ciphertext, key_id: keyId });
  return true;
}

/** A secret is never sent to another origin than the one that it was entered for. */
export function contextOf({ id, url }: { id: string; url: string }, userId = ""): string {
  return `${id} ${new URL(url).origin} ${userId}`;
}

/** Encrypts what uses `oldSecret` with the new one. `left`: how much uses a third secret. */
export async function rotateToolServerSecrets(
  db: Database,
  { oldSecret, secret }: { oldSecret: string; secret: string },
): Promise<{ rotated: number; left: number }> {
  const vaults = { oldVault: createToolServerVault(oldSecret), vault: createToolServerVault(secret) };
  return await db.write(async (tx) => {
    const ofServers = await rotateSecrets(
      await rows.listSecretServers(tx.q),
      vaults,
      (vault, row) => {
        const secrets = secretsOf(vault, row);
        return secrets && JSON.stringify(secrets);
      },
      async (row, plain) =>
        void (await storeSecrets(tx, vaults.vault, row, JSON.parse(plain) as ServerSecrets)),
    );
    const ofPeople = await rotateSecrets(
      await signInRows.listSignIns(tx.q),
      vaults,
      (vault, row) =>
        vault.decrypt({ ciphertext: row.ciphertext, keyId: row.key_id }, contextOf(row.server, row.user_id)),
      async (row, plain) => {
        const sealed = vaults.vault.encrypt(plain, contextOf(row.server, row.user_id));
        await signInRows.reseal(tx, row, sealed);
      },
    );
    return { rotated: ofServers.rotated + ofPeople.rotated, left: ofServers.left + ofPeople.left };
  });
}
