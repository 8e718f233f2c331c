import { bigint, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";

/** How long what an app stores is kept. Without a row, all of it is. */
export const appRetention = table("app_retention", {
  columns: {
    app_id: text().primaryKey().references("apps", "cascade"),
    /** JSON object of the rules. */
    rules: text(),
    /** JSON object of the rules from `next_at` on; null if they do not change. */
    next_rules: text().nullable(),
    next_at: bigint().nullable(),
    /** Runs created before have no texts in their spans any more. */
    emptied_until: bigint(),
  },
  backup: "in backup",
  since: "0057-app-retention",
});
