import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from "node:crypto";
import type { Database } from "#storage/database/database.ts";
import { gcm, rotateSecrets } from "#server/sign-in/secret-vault.ts";
import { createKeyVault, keyOf, storeKey } from "./key-vault.ts";
import * as rows from "./rows.ts";

/** The name of the file with the providers' keys in a backup. */
export const keysFileName = "model-provider-keys";

type StoredKey = rows.KeyRow & { base_url: string };

/** Reads the stored keys. A backup runs it in its snapshot. */
export const storedKeysQuery =
  "select model_provider_keys.*, base_url from model_provider_keys join model_providers on id = provider_id";

type DecryptedKey = { provider_id: string; base_url: string; api_key: string };

/** Encrypts keys with a passphrase. `left` is the number of keys that cannot be decrypted with `secret`. */
export function packKeys(
  stored: readonly StoredKey[],
  { secret, passphrase }: { secret: string; passphrase: string },
): { text: string; left: number } {
  const vault = createKeyVault(secret);
  const keys = stored.flatMap(({ provider_id: providerId, base_url: baseUrl, ciphertext, key_id: keyId }) => {
    const apiKey = vault.decrypt({ ciphertext, keyId }, { providerId, baseUrl });
    return apiKey === undefined ? [] : [{ provider_id: providerId, base_url: baseUrl, api_key: apiKey }];
  });
  const [salt, nonce] = [randomBytes(16), randomBytes(12)];
  const cipher = createCipheriv(gcm.name, passphraseKey(passphrase, salt), nonce, gcm.options);
  const encrypted = Buffer.concat([cipher.update(JSON.stringify(keys), "utf8"), cipher.final()]);
  const text = [salt, nonce, cipher.getAuthTag(), encrypted]
    .map((bytes) => bytes.toString("base64url"))
    .join(".");
  return { text, left: stored.length - keys.length };
}

/** Decrypts keys; `undefined` for a wrong passphrase. */
export function unpackKeys(text: string, passphrase: string): DecryptedKey[] | undefined {
  const [salt, nonce, tag, encrypted] = text.split(".").map((part) => Buffer.from(part, "base64url"));
  try {
    const decipher = createDecipheriv(gcm.name, passphraseKey(passphrase, salt!), nonce!, gcm.options);
    decipher.setAuthTag(tag!);
    const json = decipher.update(encrypted!, undefined, "utf8") + decipher.final("utf8");
    return JSON.parse(json) as DecryptedKey[];
  } catch {
    return undefined;
  }
}

/** Stores keys for the providers that exist, encrypted with this server's secret. */
export async function storeKeys(db: Database, keys: readonly DecryptedKey[], secret: string): Promise<void> {
  const vault = createKeyVault(secret);
  await db.write(async (tx) => {
    const providers = await rows.listProviders({ read: tx.q });
    for (const { provider_id: providerId, base_url: baseUrl, api_key: apiKey } of keys) {
      if (!providers.some(({ id, base_url: url }) => id === providerId && url === baseUrl)) continue;
      await storeKey(tx, vault, { providerId, baseUrl }, apiKey);
    }
  });
}

/** Encrypts keys that use `oldSecret` with the new one. `left` is the number of keys that use a third secret. */
export async function rotateKeys(
  db: Database,
  { oldSecret, secret }: { oldSecret: string; secret: string },
): Promise<{ rotated: number; left: number }> {
  const vaults = { oldVault: createKeyVault(oldSecret), vault: createKeyVault(secret) };
  return await db.write(async (tx) => {
    const stored = (await rows.listProviders({ read: tx.q })).filter(({ ciphertext }) => ciphertext !== null);
    return await rotateSecrets(
      stored,
      vaults,
      keyOf,
      async (row, apiKey) =>
        await storeKey(tx, vaults.vault, { providerId: row.id, baseUrl: row.base_url }, apiKey),
    );
  });
}

/** Uses 128 MiB of memory and a fraction of a second, so that guessing passphrases is expensive. */
function passphraseKey(passphrase: string, salt: Buffer): Buffer {
  return scryptSync(passphrase, salt, 32, { N: 2 ** 17, r: 8, p: 1, maxmem: 2 ** 28 });
}
