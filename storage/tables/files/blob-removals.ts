import { bigint, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";

/**
 * Keys of the blob store to delete at that time, unless a blob has the key by then. A key is noted here before
 * anything is written under it, so that a crash leaves no orphaned bytes.
 */
export const blobRemovals = table("blob_removals", {
  columns: {
    key: text().primaryKey(),
    due_at: bigint(),
  },
  indexes: {
    blob_removals_due: "due_at",
  },
  backup: "in backup",
});
