import { bigint, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";

/** Accounts whose password needs a code of an authenticator app too. */
export const secondFactors = table("second_factors", {
  columns: {
    user_id: text().primaryKey().references("users", "cascade"),
    /** The 30 seconds, counted from 1970, of the last code that was used. */
    last_counter: bigint(),
    created_at: bigint(),
  },
  backup: "in backup",
});

/** The encrypted secrets of authenticator apps. */
export const secondFactorSecrets = table("second_factor_secrets", {
  columns: {
    user_id: text().primaryKey().references("second_factors", "cascade", "user_id"),
    ciphertext: text(),
    key_id: text(),
  },
  // As those of model providers. Until people set up another one, their recovery codes work.
  backup: "secret",
});

/** The hashes of recovery codes that have not been used. */
export const recoveryCodes = table("recovery_codes", {
  columns: {
    user_id: text().references("second_factors", "cascade", "user_id"),
    code_hash: text(),
  },
  constraints: ["primary key (user_id, code_hash)"],
  backup: "in backup",
});
