import { bigint, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";

/** The tool calls that this server carried out, one row each. Arguments and results are in the answers alone. */
export const toolCalls = table("tool_calls", {
  columns: {
    run_id: text().references("runs", "cascade"),
    tool_call_id: text(),
    thread_id: text().nullable().references("threads", "cascade"),
    tool_name: text(),
    /** `built-in`, or the id of a tool server. */
    source: text(),
    schema_hash: text(),
    /** Where the arguments went, if they left the server. */
    sent_to: text().nullable(),
    /** Where the text of the result is from, if strangers wrote it. */
    result_from: text().nullable(),
    /** Why the call was carried out: a person allowed it, what allowed it for them, or nothing had to. */
    allowed_by: text<"person" | "chat" | "own-rule" | "rule" | "tool">(),
    allowed_at: bigint(),
    /** Written before a call that a person or a rule must allow is sent, so that it is sent at most once. */
    sent_at: bigint(),
    sent_bytes: bigint(),
    received_bytes: bigint().nullable(),
    /** Null while it runs. If its process died, nobody knows what it did. */
    ended_at: bigint().nullable(),
    outcome: text<"completed" | "failed">().nullable(),
  },
  constraints: ["primary key (run_id, tool_call_id)"],
  indexes: {
    tool_calls_of_thread: "thread_id",
  },
  backup: "in backup",
  since: "0066-tools",
});
