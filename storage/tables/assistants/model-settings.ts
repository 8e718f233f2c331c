import { bigint, integer, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";

/** One row, once the owner has changed the settings. Flags are 1 or 0. */
export const modelSettings = table("model_settings", {
  columns: {
    id: text<"server">().primaryKey(),
    /** The id of the model for titles, summaries and suggestions; null for the one that answers. */
    small_model: text().nullable(),
    titles: integer(),
    summaries: integer(),
    suggestions: integer(),
    local_only: integer(),
    updated_at: bigint(),
    /** How many requests to its model an answer may take; null for the default. */
    steps_max: integer().nullable(),
  },
  backup: "in backup",
});
