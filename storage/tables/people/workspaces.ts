import { bigint, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";

/** Owns threads. Unique by (app, realm, name), so an external name never matches an own workspace. */
export const workspaces = table("workspaces", {
  columns: {
    id: text().primaryKey(),
    app_id: text().references("apps"),
    realm: text<"own" | "external">(),
    /** In the own realm: the user's id. External: the name that an API key or a provider's token gave. */
    name: text(),
    created_at: bigint(),
  },
  indexes: {
    workspaces_by_name: { on: "app_id, realm, name", isUnique: true },
  },
  backup: "in backup",
});
