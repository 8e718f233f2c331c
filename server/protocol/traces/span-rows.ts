import { telemetryWorkspace } from "#contract/endpoints/traces.ts";
import type { Tx } from "#storage/database/database.ts";
import { idsOf } from "#storage/database/portable-sql.ts";
import type { NewRow, Row } from "#storage/database/tables.ts";

/** The SQL of traces and their spans: tables that only this module writes. */

/**
 * Locks a trace until the transaction ends, so that its spans and a report of it, which may arrive concurrently and in
 * either order, find the same run. Returns the run that its spans belong to.
 */
export async function lockTrace(tx: Tx, appId: string, traceId: string): Promise<string | null> {
  const row = await tx.q
    .insertInto("traces")
    .values({ app_id: appId, trace_id: traceId, run_id: null })
    .onConflict((conflict) => conflict.columns(["app_id", "trace_id"]).doUpdateSet({ trace_id: traceId }))
    .returning("run_id")
    .executeTakeFirstOrThrow();
  return row.run_id;
}

export async function setRunOfTrace(tx: Tx, appId: string, traceId: string, runId: string): Promise<void> {
  await tx.q
    .updateTable("traces")
    .set({ run_id: runId })
    .where("app_id", "=", appId)
    .where("trace_id", "=", traceId)
    .execute();
}

/** The oldest run that was reported with this trace, in this thread or workspace if one is given. */
export async function findReportOfTrace(
  tx: Tx,
  appId: string,
  traceId: string,
  { threadId, workspaceId }: { threadId: string | undefined; workspaceId: string | undefined },
): Promise<string | undefined> {
  let query = tx.q
    .selectFrom("run_reports")
    .innerJoin("runs", "runs.id", "run_reports.run_id")
    .select("runs.id")
    .where("run_reports.trace_id", "=", traceId)
    .where("runs.app_id", "=", appId);
  if (threadId !== undefined) query = query.where("run_reports.thread_id", "=", threadId);
  if (workspaceId !== undefined) query = query.where("runs.workspace_id", "=", workspaceId);
  return (await query.orderBy("runs.created_at").orderBy("runs.id").limit(1).executeTakeFirst())?.id;
}

/**
 * The run, if it was created from spans only and a report in this thread may be of it: its thread is this one, or it has
 * no thread and is in this workspace or the one for telemetry.
 */
export async function findUnreported(
  tx: Tx,
  runId: string,
  report: { threadId: string; workspaceId: string },
): Promise<string | undefined> {
  const row = await tx.q
    .selectFrom("run_reports")
    .innerJoin("runs", "runs.id", "run_reports.run_id")
    .innerJoin("workspaces", "workspaces.id", "runs.workspace_id")
    .select("runs.id")
    .where("runs.id", "=", runId)
    .where("run_reports.reported", "=", 0)
    .where((is) =>
      is.or([
        is("run_reports.thread_id", "=", report.threadId),
        is.and([
          is("run_reports.thread_id", "is", null),
          is.or([
            is("runs.workspace_id", "=", report.workspaceId),
            is.and([is("workspaces.realm", "=", "external"), is("workspaces.name", "=", telemetryWorkspace)]),
          ]),
        ]),
      ]),
    )
    .executeTakeFirst();
  return row?.id;
}

/** Stores a span or updates the existing one, because exports may be repeated. */
export async function saveSpan(tx: Tx, span: NewRow<"run_spans">): Promise<void> {
  const { run_id: _, span_id: __, ...values } = span;
  await tx.q
    .insertInto("run_spans")
    .values(span)
    .onConflict((conflict) => conflict.columns(["run_id", "span_id"]).doUpdateSet(values))
    .execute();
}

/** The spans of a run, in order of their start. */
export async function listSpans(q: Tx["q"], runId: string): Promise<Row<"run_spans">[]> {
  return await q
    .selectFrom("run_spans")
    .selectAll()
    .where("run_id", "=", runId)
    .orderBy("started_ms")
    .orderBy("span_id")
    .execute();
}

/** Deletes the text in the spans of these runs. */
export async function redactSpans(tx: Tx, runIds: string[]): Promise<void> {
  await tx.q
    .updateTable("run_spans")
    .set({ input: null, output: null, attributes: "{}", name: "" })
    .where("run_id", "in", idsOf(tx, runIds))
    .execute();
}
