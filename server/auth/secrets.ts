import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * The secret that signs tokens: the setting, or one made once and kept in `dataDir`, readable by its owner alone. Two
 * processes that start at once agree on the first file written.
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
      `${path} is damaged: it must hold at least 32 characters. Remove it to have a new one made (everyone signs in again).`,
    );
  return secret;
}

/** A secret for one purpose, made of the one that is kept: nothing learned of it tells of another. */
export function deriveSecret(secret: string, purpose: string): string {
  return createHmac("sha256", secret).update(purpose).digest("base64url");
}

/** The secret of the owner's link. */
export function ownerSecretOf(secret: string): string {
  return deriveSecret(secret, "owner's link").slice(0, 32);
}

/** What is stored of a token: enough to know it again, not enough to use it. */
export function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/** Whether two secrets are the same, in a time that does not tell how much of them is. */
export function sameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(
    createHash("sha256").update(given).digest(),
    createHash("sha256").update(expected).digest(),
  );
}
