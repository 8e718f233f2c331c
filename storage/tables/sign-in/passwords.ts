import { bigint, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";

/** The passwords of accounts, as argon2id hashes. */
export const passwords = table("passwords", {
  columns: {
    user_id: text().primaryKey().references("users", "cascade"),
    hash: text(),
    changed_at: bigint(),
  },
  backup: "in backup",
});

/** Links that work once, such as those to set a new password. Only the token's hash is stored. */
export const accountTokens = table("account_tokens", {
  columns: {
    token_hash: text().primaryKey(),
    purpose: text<"reset" | "confirm">(),
    user_id: text().references("users", "cascade"),
    created_at: bigint(),
    expires_at: bigint(),
    used_at: bigint().nullable(),
  },
  indexes: {
    account_tokens_by_user: "user_id",
  },
  backup: "in backup",
});
