import { bigint, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";

/** Texts that people keep for their messages. */
export const prompts = table("prompts", {
  columns: {
    id: text().primaryKey(),
    project_id: text().references("projects", "cascade"),
    /** Null: shared with everybody of the project. */
    user_id: text().nullable().references("users", "cascade"),
    title: text(),
    /** A JSON string. */
    text: text(),
    created_at: bigint(),
    updated_at: bigint(),
  },
  indexes: {
    prompts_by_user: "project_id, user_id",
  },
  backup: "in backup",
});
