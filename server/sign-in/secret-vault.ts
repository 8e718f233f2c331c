import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from "node:crypto";

/** Encrypts small secrets that are stored, with a key that is derived from the server's secret. */
export type SecretVault = ReturnType<typeof createSecretVault>;

export type SealedSecret = {
  ciphertext: string;
  /** Names the secret that it was encrypted with. */
  keyId: string;
};

const nonceBytes = 12;
const tagBytes = 16;
export const gcm = { name: "aes-256-gcm", options: { authTagLength: tagBytes } } as const;

/** What is encrypted for one purpose cannot be decrypted for another. */
export function createSecretVault(secret: string, purpose: string) {
  const key = Buffer.from(hkdfSync("sha256", secret, "", purpose, 32));
  const keyId = createHash("sha256").update("id of ").update(key).digest("base64url").slice(0, 12);
  return {
    /** `owner`: what the secret belongs to. */
    encrypt(plain: string, owner: string): SealedSecret {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(gcm.name, key, nonce, gcm.options).setAAD(Buffer.from(owner));
      const encrypted = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
      return {
        ciphertext: Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString("base64url"),
        keyId,
      };
    },
    /** The secret; `undefined` if it was encrypted with another server's secret or belongs to something else. */
    decrypt(sealed: SealedSecret, owner: string): string | undefined {
      if (sealed.keyId !== keyId) return undefined;
      const bytes = Buffer.from(sealed.ciphertext, "base64url");
      const decipher = createDecipheriv(gcm.name, key, bytes.subarray(0, nonceBytes), gcm.options)
        .setAAD(Buffer.from(owner))
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

/**
 * Encrypts the secrets of `rows` that use `oldVault` with `vault`. `left`: how many can be decrypted with neither.
 * `read` returns `undefined` for a secret that its vault cannot decrypt.
 */
export async function rotateSecrets<Row, Vault>(
  rows: readonly Row[],
  { oldVault, vault }: { oldVault: Vault; vault: Vault },
  read: (vault: Vault, row: Row) => string | undefined,
  store: (row: Row, plain: string) => Promise<void>,
): Promise<{ rotated: number; left: number }> {
  let [rotated, left] = [0, 0];
  for (const row of rows) {
    if (read(vault, row) !== undefined) continue;
    const plain = read(oldVault, row);
    if (plain === undefined) left++;
    else {
      await store(row, plain);
      rotated++;
    }
  }
  return { rotated, left };
}
