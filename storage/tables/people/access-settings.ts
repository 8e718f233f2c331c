import { bigint, integer, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";

/** The rights of members and guests, as JSON of `Rights`, and whether links to threads work. At most one row. */
export const accessSettings = table("access_settings", {
  columns: {
    id: text<"server">().primaryKey(),
    member_rights: text(),
    guest_rights: text(),
    link_sharing: integer(),
    updated_at: bigint(),
  },
  backup: "in backup",
});
