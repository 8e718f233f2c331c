import { bigint, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";

/** The folders and tags of a workspace. */
export const labels = table("labels", {
  columns: {
    id: text().primaryKey(),
    workspace_id: text().references("workspaces", "cascade"),
    kind: text<"folder" | "tag">(),
    name: text(),
    /** The form of the name that is compared. Unique by workspace and kind. */
    name_key: text(),
    created_at: bigint(),
  },
  constraints: ["unique (workspace_id, kind, name_key)"],
  backup: "in backup",
});

/** The tags of threads. */
export const threadTags = table("thread_tags", {
  columns: {
    thread_id: text().references("threads", "cascade"),
    label_id: text().references("labels", "cascade"),
  },
  constraints: ["primary key (thread_id, label_id)"],
  indexes: {
    thread_tags_by_label: "label_id",
  },
  backup: "in backup",
});
