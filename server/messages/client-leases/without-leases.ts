import type { Database } from "#storage/database/database.ts";
import type { MessageRow } from "../rows.ts";
import { statusOfLease } from "./present.ts";
import { findLeases } from "./rows.ts";

/**
 * The messages as a copy or an export has them, in which nobody goes on writing: an answer that a client has not completed
 * was interrupted.
 */
export async function withoutLeases(
  at: Pick<Database, "engine"> & { q: Database["read"] },
  messages: MessageRow[],
): Promise<MessageRow[]> {
  const ids = messages.map(({ id }) => id);
  const leases = new Map((await findLeases(at, ids)).map((lease) => [lease.message_id, lease]));
  return messages.map((row) => {
    const lease = leases.get(row.id);
    const status = lease && statusOfLease(lease, { last_heartbeat_ms_ago: Infinity });
    if (status === undefined) return row;
    return { ...row, status: status.type, status_reason: status.reason, error_code: status.error_code };
  });
}
