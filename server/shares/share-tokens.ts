import { createHmac } from "node:crypto";
import { isSameSecret } from "../sign-in/secrets.ts";

export type ShareTokens = ReturnType<typeof createShareTokens>;

/** The tokens of links. `secret` must be used for nothing else. Links that were created with another secret have ended. */
export function createShareTokens(secret: string) {
  /** 192 bits. It is derived from the id, so that the list can show the link although only its hash is stored. */
  const tokenOf = (id: string): string =>
    createHmac("sha256", secret).update(id).digest("base64url").slice(0, 32);

  return {
    tokenOf,

    /** Whether this is the token of the link with this id. */
    isTokenOf: (id: string, token: string): boolean => isSameSecret(token, tokenOf(id)),
  };
}
