import { errors, type ErrorCode } from "#contract/errors.ts";
import type { FinishReason, RunEndState, RunEvent } from "#contract/run-events.ts";
import { append } from "#storage/log/log.ts";
import type { Tx } from "#storage/database/database.ts";
import { sql } from "#storage/database/sql.ts";
import * as rows from "../rows.ts";
import { runTopic } from "../log/topics.ts";

const prefix = runTopic("");

/** Ended runs whose log is still stored and does not end with `run-end`. */
export const endedWithoutEndEvent = `select runs.id from log_topics as topics
  join runs on runs.id = substr(topics.topic, ${prefix.length + 1})
  where topics.topic like '${prefix}%' and runs.ended_at is not null
    and runs.state not in ('running', 'requires-action')
    and (select body from log_entries as entries where entries.topic = topics.topic order by seq desc limit 1)
      not like '{"type":"run-end",%'`;

/**
 * In a transaction of the doctor: removes the leases of runs that ended or wait. A running run without a lease gets an
 * expired one, and a waiting run without a log is asked to stop, so that the next server ends both and keeps their output.
 */
export async function repairRuns(tx: Tx, nowMs: number): Promise<Record<string, number>> {
  const withLease = await tx.q
    .updateTable("runs")
    .set({ lease_owner: null, lease_expires_at: null })
    .where((is) => is.or([is("ended_at", "is not", null), is("state", "=", "requires-action")]))
    .where("lease_owner", "is not", null)
    .executeTakeFirstOrThrow();
  const withoutLease = await tx.q
    .updateTable("runs")
    .set({ lease_owner: "nobody", lease_expires_at: nowMs - 1 })
    .where("ended_at", "is", null)
    .where("state", "=", "running")
    .where((is) => is.or([is("lease_owner", "is", null), is("lease_expires_at", "is", null)]))
    .executeTakeFirstOrThrow();
  const withoutLog = await sql`
    update runs set stop_requested_at = ${nowMs}
    where state = 'requires-action' and ended_at is null and stop_requested_at is null and not exists (
      select 1 from log_entries where topic = ${prefix} || runs.id and seq = 1)
  `.execute(tx.q);
  return {
    "leases of ended and waiting runs removed": Number(withLease.numUpdatedRows),
    "runs left for the next server to end":
      Number(withoutLease.numUpdatedRows) + Number(withoutLog.numAffectedRows ?? 0),
  };
}

/** In a transaction of the doctor: appends the missing `run-end` to the logs of ended runs, as their rows have it. */
export async function repairRunLogs(tx: Tx, nowMs: number): Promise<Record<string, number>> {
  const { rows: ended } = await sql<{ id: string }>`${sql.raw(endedWithoutEndEvent)}`.execute(tx.q);
  const appends = [];
  for (const { id } of ended) {
    const run = await rows.findRunAnywhere(tx, id);
    if (run !== undefined) appends.push({ topic: runTopic(id), bodies: [JSON.stringify(endEventOf(run))] });
  }
  await append(tx, appends, nowMs);
  return { "logs of ended runs completed": appends.length };
}

function endEventOf(run: rows.RunRow): RunEvent {
  const code = run.error_code as ErrorCode | null;
  return {
    type: "run-end",
    state: run.state as RunEndState,
    finish_reason: (run.finish_reason ?? "other") as FinishReason,
    usage: Object.fromEntries(Object.entries(rows.visibleUsage(run)).filter(([, tokens]) => tokens !== null)),
    ...(code === null ? {} : { error: { code, message: errors[code].message } }),
  };
}
