import type { CallAllowance } from "#contract/tools/tool-rules.ts";
import type { Json } from "#contract/json.ts";
import type { Database } from "#storage/database/database.ts";
import type { Clock } from "#server/lib/clock.ts";
import { sentToOf, type ServerTool } from "#server/tools/tool.ts";
import * as runRows from "../rows.ts";
import { claimCalls, type CarriedOutCall } from "./rows.ts";

/** A call that is about to be carried out. */
export type AllowedCall = {
  toolCallId: string;
  tool: ServerTool;
  args: Json;
  allowedBy: CallAllowance;
  /** When a person allowed it. Default: now. */
  allowedAt?: number | undefined;
};

/** What is known once a call has ended. `from`: whose text the result is, if strangers wrote it. */
type EndedCall = { result: Json; isError: boolean; from?: string | undefined };

/** Records the tool calls of one run, for the receipt and so that each is sent at most once. */
export type CallLog = {
  /**
   * Stores that these calls are sent, before they are. Returns the ids of those that were sent before. Throws if this
   * process no longer holds the run's lease: then nothing may be sent.
   */
  claim(calls: readonly AllowedCall[]): Promise<ReadonlySet<string>>;
  /** Adds a call that ended. It is stored with the next events of the run. */
  end(call: AllowedCall, end: EndedCall): void;
};

export function createCallLog(options: {
  db: Database;
  clock: Clock;
  runId: string;
  leaseOwner: string;
  /** Repeats work while the database is not available. */
  retried: <T>(work: () => Promise<T>) => Promise<T>;
  /** Ends the run here, because another process has its lease, and throws. */
  onLost: () => never;
  /** Stores a call with the next events. */
  record: (call: CarriedOutCall) => void;
}): CallLog {
  const { db, clock, runId, leaseOwner, retried, onLost, record } = options;
  const sentAts = new Map<string, number>();

  const rowOf = ({ toolCallId, tool, args, allowedBy, allowedAt }: AllowedCall): CarriedOutCall => {
    const sentAt = sentAts.get(toolCallId) ?? clock.now();
    sentAts.set(toolCallId, sentAt);
    return {
      run_id: runId,
      tool_call_id: toolCallId,
      tool_name: tool.name,
      source: tool.source,
      schema_hash: tool.schemaHash,
      sent_to: sentToOf(tool, args) ?? null,
      result_from: null,
      allowed_by: allowedBy,
      allowed_at: allowedAt ?? sentAt,
      sent_at: sentAt,
      sent_bytes: bytesOf(args),
      received_bytes: null,
      ended_at: null,
      outcome: null,
    };
  };

  return {
    async claim(calls) {
      if (calls.length === 0) return new Set();
      const rows = calls.map(rowOf);
      return await retried(
        async () =>
          await db.write(async (tx) => {
            const held = await runRows.lockLeased(tx, [runId], leaseOwner);
            return held.has(runId) ? await claimCalls(tx, rows) : onLost();
          }),
      );
    },
    end(call, { result, isError, from }) {
      record({
        ...rowOf(call),
        result_from: from ?? null,
        received_bytes: bytesOf(result),
        ended_at: clock.now(),
        outcome: isError ? "failed" : "completed",
      });
    },
  };
}

function bytesOf(value: Json): number {
  return Buffer.byteLength(JSON.stringify(value));
}
