import { bigint, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";

/** Messages that wait in the queue of a thread. */
export const queuedMessages = table("queued_messages", {
  columns: {
    /** The id that the message will have. */
    id: text().primaryKey(),
    thread_id: text().references("threads", "cascade"),
    /** The reply that it will follow. */
    parent_id: text(),
    /** Lower positions are sent first; numbered per thread. */
    position: bigint(),
    /** JSON, exactly as it was sent. */
    content: text(),
    assistant_id: text().default("default"),
    model: text(),
    /** The reasoning effort; null: the assistant's. */
    reasoning_effort: text().nullable(),
    run_id: text().unique(),
    reply_id: text().unique(),
    /** Hash of the request that queued it. Its run gets it. */
    request_hash: text(),
    time_zone: text().nullable(),
    created_by: text(),
    created_at: bigint(),
    updated_at: bigint(),
    /**
     * When a person removed it. The row stays for a day without content, so that a late repeat does not queue it again.
     */
    removed_at: bigint().nullable(),
  },
  constraints: [
    // Deleting a message also deletes what was queued below it.
    "foreign key (thread_id, parent_id) references messages (thread_id, id) on delete cascade",
  ],
  indexes: {
    queued_messages_in_order: { on: "thread_id, position", isUnique: true },
    queued_messages_by_parent: "thread_id, parent_id",
    queued_messages_by_creator: "created_by, thread_id",
    queued_messages_removed: "removed_at",
  },
  backup: "in backup",
});
