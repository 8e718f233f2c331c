import { bigint, integer, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";

/**
 * Summaries that replace a message and all messages above it in requests to models. Not part of `text_bytes`: people
 * can only edit them, and each is short.
 */
export const summaries = table("summaries", {
  columns: {
    /** The last message that it covers. */
    message_id: text().primaryKey().references("messages", "cascade"),
    thread_id: text(),
    /** Empty while it is being written, and after a person removed it. */
    text: text(),
    /** The model that wrote it; null while it is being written. */
    model: text().nullable(),
    is_edited: integer(),
    /** How long the summary is reserved for the process that writes it. Null if it is complete. */
    pending_until: bigint().nullable(),
    /** When a person removed it: the branch is not compacted again before it exceeds its budget. */
    removed_at: bigint().nullable(),
    created_at: bigint(),
    updated_at: bigint(),
  },
  indexes: {
    summaries_of_thread: "thread_id",
  },
  backup: "in backup",
});
