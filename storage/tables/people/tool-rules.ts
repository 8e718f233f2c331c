import { bigint, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";

/**
 * Whether tools run without asking, ask, or never run. Each rule is of one person, of a group or an assistant as
 * administrators say, or of everybody if it names none of them.
 */
export const toolRules = table("tool_rules", {
  columns: {
    id: text().primaryKey(),
    user_id: text().nullable().references("users", "cascade"),
    group_id: text().nullable().references("user_groups", "cascade"),
    assistant_id: text().nullable(),
    /** `built-in`, or the id of a tool server. */
    source: text(),
    /** The name by which models call the tool. Null: all tools of the source. */
    tool: text().nullable(),
    rule: text<"always" | "ask" | "never">(),
    /** What `always` was said about; null for a rule that covers only what reads. */
    schema_hash: text().nullable(),
    updated_at: bigint(),
  },
  indexes: {
    tool_rules_by_user: "user_id",
    tool_rules_by_group: "group_id",
  },
  backup: "in backup",
  since: "0066-tools",
});
