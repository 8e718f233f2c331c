import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * The secret that signs tokens: the setting, or else the file in `dataDir`, which is created once and readable only by
 * its owner. Two processes that start at the same time use the file that was created first.
 */
export async function loadSecret(setting: string | undefined, dataDir: string): Promise<string> {
  if (setting !== undefined) return setting;
  const path = join(dataDir, "secret");
  try {
    const file = await open(path, "wx", 0o600);
    try {
      await file.writeFile(`${randomBytes(32).toString("base64url")}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  const secret = (await readFile(path, "utf8")).trim();
  if (secret.length < 32)
    throw new Error(
      `${path} is damaged: it must contain at least 32 characters. Delete it to create a new one (everyone must sign in again).`,
    );
  return secret;
}

/** A secret for one purpose. It reveals nothing about the main secret or those for other purposes. */
export function deriveSecret(secret: string, purpose: string): string {
  return createHmac("sha256", secret).update(purpose).digest("base64url");
}

/** The secret of the owner's link. */
export function ownerSecretOf(secret: string): string {
  return deriveSecret(secret, "owner's link").slice(0, 32);
}

/** The stored form of a token, with which the token can be recognized but not used. */
export function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/** Compares two secrets in constant time. */
export function isSameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(
    createHash("sha256").update(given).digest(),
    createHash("sha256").update(expected).digest(),
  );
}
