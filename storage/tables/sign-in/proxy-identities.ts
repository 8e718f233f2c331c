import { bigint, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";

/** Who accounts are to the proxy that people sign in with: its form of their e-mail address. */
export const proxyIdentities = table("proxy_identities", {
  columns: {
    subject: text().primaryKey(),
    user_id: text().references("users", "cascade"),
    created_at: bigint(),
    last_used_at: bigint(),
  },
  indexes: {
    proxy_identities_by_user: { on: "user_id", isUnique: true },
  },
  backup: "in backup",
});
