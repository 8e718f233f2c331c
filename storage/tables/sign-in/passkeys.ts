import { bigint, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";

/** The passkeys of accounts. */
export const passkeys = table("passkeys", {
  columns: {
    id: text().primaryKey(),
    /** The authenticator's id of the passkey, in base64url, as is the public key. */
    credential_id: text(),
    user_id: text().references("users", "cascade"),
    name: text(),
    public_key: text(),
    /** How often the authenticator has signed; 0 if it does not count. */
    counter: bigint(),
    /** JSON list of the ways to reach the authenticator. */
    transports: text(),
    /** The host name that it works at; null for older ones that have not been used since. */
    rp_id: text().nullable(),
    created_at: bigint(),
    last_used_at: bigint().nullable(),
  },
  indexes: {
    passkeys_by_credential: { on: "credential_id", isUnique: true },
    passkeys_by_user: "user_id",
  },
  backup: "in backup",
});

/** What a passkey has to sign. Each is used once, within minutes. */
export const passkeyChallenges = table("passkey_challenges", {
  columns: {
    challenge_hash: text().primaryKey(),
    purpose: text<"sign-in" | "sign-up" | "add">(),
    /** The account that the passkey is to be added to. */
    user_id: text().nullable().references("users", "cascade"),
    expires_at: bigint(),
  },
  indexes: {
    passkey_challenges_by_user: "user_id",
    passkey_challenges_by_expiry: "expires_at",
  },
  backup: "in backup",
});
