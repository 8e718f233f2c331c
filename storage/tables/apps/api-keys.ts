import { bigint, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";

export const apiKeys = table("api_keys", {
  columns: {
    id: text().primaryKey(),
    key_hash: text(),
    /** The first characters, by which people recognize a key. */
    prefix: text(),
    app_id: text().references("apps"),
    name: text(),
    /** Null for the key of the setting PARLANCE_API_KEY. */
    created_by: text().nullable().references("users", "set null"),
    created_at: bigint(),
    last_used_at: bigint().nullable(),
    expires_at: bigint().nullable(),
    revoked_at: bigint().nullable(),
  },
  indexes: {
    api_keys_by_key: { on: "key_hash", isUnique: true },
  },
  backup: "in backup",
});
