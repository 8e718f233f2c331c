import { bigint, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";

/** What people set about themselves on every device; null: not set. */
export const profiles = table("profiles", {
  columns: {
    user_id: text().primaryKey().references("users", "cascade"),
    language: text().nullable(),
    time_zone: text().nullable(),
    default_model: text().nullable(),
    default_assistant_id: text().nullable(),
    /** In the address of the picture. Another picture has another id. */
    picture_id: text().nullable().unique(),
    /** A `data:` URL. */
    picture: text().nullable(),
    updated_at: bigint(),
  },
  backup: "in backup",
});
