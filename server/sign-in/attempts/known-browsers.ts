import { randomCharacters } from "#contract/ids.ts";
import { deriveSecret, isSameSecret } from "../secrets.ts";

/**
 * Recognizes a browser in which an account was signed in to, also after the sign-out. Its cookie is a random name and a
 * signature of the name and the account, so that nothing is stored and the cookie does not tell whose it is.
 */
export type KnownBrowsers = ReturnType<typeof createKnownBrowsers>;

export function createKnownBrowsers(secret: string) {
  const key = deriveSecret(secret, "known browsers");
  const signatureOf = (name: string, userId: string) => deriveSecret(key, `${name} ${userId}`);
  return {
    tokenFor(userId: string): string {
      // 24 characters of 5 bits: 120 random bits.
      const name = randomCharacters(24);
      return `${name}.${signatureOf(name, userId)}`;
    },
    /** The name of the browser, if the account was signed in to there. */
    nameOf(token: string | undefined, userId: string): string | undefined {
      const [name = "", signature = ""] = token?.split(".") ?? [];
      return isSameSecret(signature, signatureOf(name, userId)) ? name : undefined;
    },
  };
}
