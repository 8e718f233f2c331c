import { bigint, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";

/**
 * The last lease of each message that a client of the protocol writes while its answer runs. It never expires. Not to be
 * confused with the lease of a run of this server, which is in `runs`.
 */
export const clientLeases = table("client_leases", {
  columns: {
    message_id: text().primaryKey().references("messages", "cascade"),
    id: text(),
    thread_id: text().references("threads", "cascade"),
    /** That of the thread. */
    workspace_id: text(),
    /** When its holder opened it, last wrote with it, or last sent a heartbeat. */
    heartbeat_at: bigint(),
    ended_at: bigint().nullable(),
    /** Null too if another writer ended it. */
    end_reason: text<"done" | "cancelled" | "error">().nullable(),
    /** When the server was last writing the answer that the holder stores; null if it never was. */
    answer_heartbeat_at: bigint().nullable(),
  },
  withoutRowid: true,
  indexes: {
    client_leases_by_id: { on: "id", isUnique: true },
    client_leases_by_thread: "thread_id",
    client_leases_open: { on: "workspace_id, heartbeat_at", where: "ended_at is null" },
  },
  backup: "in backup",
});
