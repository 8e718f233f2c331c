import { bigint, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";

/** The people and groups that a thread is shared with, inside this server. */
export const threadMembers = table("thread_members", {
  columns: {
    thread_id: text().references("threads", "cascade"),
    /** The id of the person or of the group. */
    member_id: text(),
    /** Exactly one of these two is set. */
    user_id: text().nullable().references("users", "cascade"),
    group_id: text().nullable().references("user_groups", "cascade"),
    access: text<"read" | "write">(),
    added_at: bigint(),
  },
  withoutRowid: true,
  constraints: ["primary key (thread_id, member_id)"],
  indexes: {
    thread_members_by_user: "user_id",
    thread_members_by_group: "group_id",
  },
  backup: "in backup",
});
