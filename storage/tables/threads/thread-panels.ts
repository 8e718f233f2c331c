import { bigint, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";

/** What the panel beside a thread shows a user. `user_id` may be an external name. */
export const threadPanels = table("thread_panels", {
  columns: {
    thread_id: text().references("threads", "cascade"),
    user_id: text(),
    /** JSON, as in `contract/endpoints/thread-panels.ts`; null: the user closed it. */
    panel: text().nullable(),
    updated_at: bigint(),
  },
  withoutRowid: true,
  constraints: ["primary key (thread_id, user_id)"],
  backup: "in backup",
});
