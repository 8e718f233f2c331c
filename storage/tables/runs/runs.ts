import { bigint, integer, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";

export const runs = table("runs", {
  columns: {
    id: text().primaryKey(),
    /**
     * Own: of this server, logged and stored. Wire: streamed to a protocol client. Reported: of another application.
     */
    origin: text<"own" | "wire" | "reported">(),
    app_id: text().references("apps"),
    workspace_id: text().references("workspaces", "cascade"),
    user_id: text(),
    /** The cost of a run still counts after its thread is deleted. */
    thread_id: text().nullable().references("threads", "set null"),
    /** The message that it answers; it may have been deleted since. */
    message_id: text().nullable(),
    reply_id: text().nullable(),
    assistant_id: text().nullable(),
    model: text().nullable(),
    /** The reasoning effort; null: the assistant's. */
    reasoning_effort: text().nullable(),
    state: text<"running" | "requires-action" | "completed" | "cancelled" | "failed" | "interrupted">(),
    finish_reason: text().nullable(),
    error_code: text().nullable(),
    /** JSON list of deviations from what was chosen; null for none. */
    notes: text().nullable(),
    /** Hash of the request that started it. The same id with another request is a conflict. */
    request_hash: text().nullable(),
    /** The time zone that the client sent, which may be unknown; null if it sent none. */
    time_zone: text().nullable(),
    /** Set when any process asks the run to stop; its owner is notified. */
    stop_requested_at: bigint().nullable(),
    /** How often the run was retried because its process died before the first output. */
    asked_again: integer().default(0),
    lease_owner: text().nullable(),
    lease_expires_at: bigint().nullable(),
    input_tokens: bigint().nullable(),
    output_tokens: bigint().nullable(),
    reasoning_tokens: bigint().nullable(),
    cached_tokens: bigint().nullable(),
    /** The input and output of its last step, as the provider counted them: the tokens of the branch so far. */
    context_tokens: integer().nullable(),
    /** Millionths of a US dollar. */
    cost_micros: bigint().nullable(),
    created_at: bigint(),
    started_at: bigint().nullable(),
    first_token_at: bigint().nullable(),
    ended_at: bigint().nullable(),
    /** The comparison that it belongs to; null for other answers. */
    comparison_id: text().nullable(),
    /** 1 while its model is secret. */
    is_blind: integer().default(0),
    /** What it reserves of budgets while it is running, with what it has used of that; null without a budget. */
    reserved_tokens: bigint().nullable(),
    /** The same in millionths of a US dollar. */
    reserved_micros: bigint().nullable(),
  },
  fillFactor: 65,
  indexes: {
    runs_of_thread: "thread_id, created_at, id",
    runs_of_workspace: "workspace_id, created_at",
    runs_of_app: "app_id, created_at, id",
    runs_by_reply: "reply_id",
    runs_by_message: "message_id",
    // Queries must say "ended_at is null" to use these three. A list of states as parameters would not match.
    runs_alive: { on: "state", where: "ended_at is null" },
    runs_alive_of_thread: { on: "thread_id", where: "ended_at is null" },
    runs_alive_of_workspace: { on: "workspace_id, user_id", where: "ended_at is null" },
    runs_of_comparison: { on: "comparison_id", where: "comparison_id is not null" },
    runs_with_reservation: { on: "user_id", where: "ended_at is null and reserved_tokens is not null" },
  },
  backup: "in backup",
});
