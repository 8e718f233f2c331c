import { bigint, real, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";

/** Scores of threads, messages and runs; one for each target, name and author. */
export const scores = table("scores", {
  columns: {
    id: text().primaryKey(),
    app_id: text().references("apps"),
    workspace_id: text().references("workspaces", "cascade"),
    author_id: text(),
    source: text<"end_user" | "api">(),
    name: text(),
    data_type: text<"numeric" | "categorical" | "boolean">(),
    /** 1 and 0 for a boolean. */
    value: real().nullable(),
    string_value: text().nullable(),
    comment: text().nullable(),
    /** `thread:<id>`, `message:<id>` or `run:<id>`. */
    target: text(),
    /** Also set for the score of a message. What these three name may be deleted. */
    thread_id: text().nullable(),
    message_id: text().nullable(),
    run_id: text().nullable(),
    created_at: bigint(),
    updated_at: bigint(),
  },
  indexes: {
    scores_once: { on: "target, name, author_id", isUnique: true },
    scores_of_app: "app_id, created_at, id",
    scores_of_workspace: "workspace_id",
    scores_of_thread: "thread_id",
    scores_of_run: "run_id",
    scores_of_author: "app_id, author_id",
  },
  backup: "in backup",
});
