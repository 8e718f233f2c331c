import { bigint, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";

/** The end of a list page when it was served, because its last row may have moved since. */
export const listBookmarks = table("list_bookmarks", {
  columns: {
    /** Hash of the list's owner and filter. */
    list: text(),
    id: text(),
    position: bigint(),
    served_at: bigint(),
  },
  withoutRowid: true,
  constraints: ["primary key (list, id)"],
  indexes: {
    list_bookmarks_by_age: "served_at",
  },
  backup: "in backup",
});
