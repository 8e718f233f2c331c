import { bigint, integer, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";

export const apps = table("apps", {
  columns: {
    id: text().primaryKey(),
    name: text(),
    /** JSON list of the origins that browsers may call from. */
    allowed_origins: text(),
    /** 1 if it issues anonymous tokens. Null: nobody has decided, so its visitors count as guests of the web app. */
    anonymous_tokens: integer().nullable(),
    /** JSON list of the models that they may be used with; null for all. */
    anonymous_models: text().nullable(),
    created_at: bigint(),
  },
  backup: "in backup",
});
