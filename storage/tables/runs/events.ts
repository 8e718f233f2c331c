import { bigint, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";

/** What people did in a chat, as protocol clients report it. */
export const events = table("events", {
  columns: {
    id: text().primaryKey(),
    app_id: text().references("apps"),
    workspace_id: text().references("workspaces", "cascade"),
    user_id: text(),
    kind: text(),
    thread_id: text().nullable(),
    message_id: text().nullable(),
    run_id: text().nullable(),
    value: bigint().nullable(),
    /** JSON object, or null. */
    props: text().nullable(),
    created_at: bigint(),
  },
  indexes: {
    events_of_user: "app_id, user_id, created_at",
    events_of_workspace: "workspace_id",
    events_of_thread: "thread_id",
    events_by_age: "created_at",
  },
  backup: "in backup",
});
