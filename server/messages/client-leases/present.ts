import { limits } from "#contract/limits.ts";
import type { MessageRun } from "#contract/endpoints/client-leases.ts";
import type { MessageStatus } from "#contract/endpoints/messages.ts";
import type { MessageRow } from "../rows.ts";
import type { LeaseRow } from "./rows.ts";

/** Who writes the message, as the protocol says it: a client with this lease, or a run of this server. */
export function presentRun(
  { status }: Pick<MessageRow, "status">,
  lease: Pick<LeaseRow, "heartbeat_at" | "ended_at" | "answer_heartbeat_at"> | undefined,
  nowMs: number,
): MessageRun | undefined {
  // A run that no process executes any more is ended by another one.
  if (status === "running") return { status: "running", last_heartbeat_ms_ago: 0 };
  if (lease === undefined) return undefined;
  const heardAt = Math.max(lease.heartbeat_at, lease.answer_heartbeat_at ?? 0);
  return {
    status: lease.ended_at === null ? "running" : "ended",
    // Another server's clock may be ahead of this one's.
    last_heartbeat_ms_ago: Math.max(0, nowMs - heardAt),
  };
}

/** The status of a message that a client writes or wrote with this lease; `undefined` if it is complete. */
export function statusOfLease(
  lease: LeaseRow,
  { last_heartbeat_ms_ago: ms }: Pick<MessageRun, "last_heartbeat_ms_ago">,
): MessageStatus | undefined {
  const incomplete = (reason: string) => ({ type: "incomplete" as const, reason, error_code: null });
  if (lease.ended_at === null) return incomplete(ms < limits.clientSilenceMs ? "elsewhere" : "interrupted");
  if (lease.end_reason === "cancelled") return incomplete("cancelled");
  return lease.end_reason === "error" ? incomplete("interrupted") : undefined;
}
