import { bigint, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";

/** Keys with which people use this server's models in editors and scripts. Only the key's hash is stored. */
export const personalKeys = table("personal_keys", {
  columns: {
    id: text().primaryKey(),
    key_hash: text(),
    /** The first characters, by which people recognize a key. */
    prefix: text(),
    user_id: text().references("users", "cascade"),
    name: text(),
    created_at: bigint(),
    last_used_at: bigint().nullable(),
    expires_at: bigint().nullable(),
    revoked_at: bigint().nullable(),
  },
  indexes: {
    personal_keys_by_hash: { on: "key_hash", isUnique: true },
    personal_keys_by_user: "user_id, created_at",
  },
  backup: "in backup",
});
