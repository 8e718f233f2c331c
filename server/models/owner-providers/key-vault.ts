import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from "node:crypto";
import type { Tx } from "#storage/database/database.ts";
import { putKey, type ProviderWithKey } from "./rows.ts";

/** Encrypts the keys of providers with a key that is derived from the server's secret. */
export type KeyVault = ReturnType<typeof createKeyVault>;

/** What an encrypted key belongs to. With another provider or host, it cannot be decrypted. */
export type KeyOwner = { providerId: string; baseUrl: string };

export type SealedKey = {
  ciphertext: string;
  /** Names the secret that it was encrypted with. */
  keyId: string;
};

const nonceBytes = 12;
const tagBytes = 16;
export const gcm = { name: "aes-256-gcm", options: { authTagLength: tagBytes } } as const;

export function createKeyVault(secret: string) {
  const key = Buffer.from(hkdfSync("sha256", secret, "", "parlance: keys of model providers", 32));
  const keyId = createHash("sha256").update("id of ").update(key).digest("base64url").slice(0, 12);
  return {
    encrypt(plain: string, owner: KeyOwner): SealedKey {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(gcm.name, key, nonce, gcm.options).setAAD(contextOf(owner));
      const encrypted = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
      return {
        ciphertext: Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString("base64url"),
        keyId,
      };
    },
    /** The key; `undefined` if it was encrypted with another secret or for something else. */
    decrypt(sealed: SealedKey, owner: KeyOwner): string | undefined {
      if (sealed.keyId !== keyId) return undefined;
      const bytes = Buffer.from(sealed.ciphertext, "base64url");
      const decipher = createDecipheriv(gcm.name, key, bytes.subarray(0, nonceBytes), gcm.options)
        .setAAD(contextOf(owner))
        .setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
      try {
        return (
          decipher.update(bytes.subarray(nonceBytes + tagBytes), undefined, "utf8") + decipher.final("utf8")
        );
      } catch {
        return undefined;
      }
    },
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

/** The last four characters, by which people recognize a key. Four are too much of a short one. */
function hint(apiKey: string): string {
  return apiKey.length < 8 ? "****" : apiKey.slice(-4);
}

function contextOf({ providerId, baseUrl }: KeyOwner): Buffer {
  return Buffer.from(`${providerId} ${new URL(baseUrl).origin}`);
}
