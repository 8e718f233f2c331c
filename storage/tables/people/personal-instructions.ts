import { bigint, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";

/** What people want every assistant to know about them, and how it is to answer. */
export const personalInstructions = table("personal_instructions", {
  columns: {
    user_id: text().primaryKey().references("users", "cascade"),
    text: text(),
    updated_at: bigint(),
  },
  backup: "in backup",
});
