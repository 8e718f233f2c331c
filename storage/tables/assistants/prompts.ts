import { bigint, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";

/** Texts that people keep for their messages. */
export const prompts = table("prompts", {
  columns: {
    id: text().primaryKey(),
    app_id: text().references("apps", "cascade"),
    /** Null: shared with everybody of the app. */
    user_id: text().nullable().references("users", "cascade"),
    title: text(),
    /** A JSON string. */
    text: text(),
    created_at: bigint(),
    updated_at: bigint(),
  },
  indexes: {
    prompts_by_user: "app_id, user_id",
  },
  backup: "in backup",
});
