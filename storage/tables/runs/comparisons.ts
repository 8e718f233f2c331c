import { bigint, integer, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";

/** Messages that several models answer at the same time. */
export const comparisons = table("comparisons", {
  columns: {
    id: text().primaryKey(),
    thread_id: text().references("threads", "cascade"),
    message_id: text(),
    /** The person who asked. */
    user_id: text(),
    /** 1 if the models are secret until a choice. */
    is_blind: integer(),
    request_hash: text(),
    chosen_reply_id: text().nullable(),
    created_at: bigint(),
    chosen_at: bigint().nullable(),
  },
  indexes: {
    comparisons_of_thread: "thread_id",
  },
  backup: "in backup",
});
