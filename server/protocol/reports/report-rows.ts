import type { Tx } from "#storage/database/database.ts";
import { idsOf } from "#storage/database/portable-sql.ts";
import type { NewRow, Row, RowChange } from "#storage/database/tables.ts";

/** The SQL of `run_reports`: the fields that only reported runs have, beside their rows in `runs`. */

export async function insertReport(tx: Tx, report: NewRow<"run_reports">): Promise<void> {
  await tx.q.insertInto("run_reports").values(report).execute();
}

export async function updateReport(tx: Tx, runId: string, change: RowChange<"run_reports">): Promise<void> {
  await tx.q.updateTable("run_reports").set(change).where("run_id", "=", runId).execute();
}

/** The id of the run that was reported with this trace in this thread. */
export async function findReportedRunId(
  tx: Tx,
  threadId: string,
  traceId: string,
): Promise<string | undefined> {
  const row = await tx.q
    .selectFrom("run_reports")
    .select("run_id")
    .where("thread_id", "=", threadId)
    .where("trace_id", "=", traceId)
    .executeTakeFirst();
  return row?.run_id;
}

export async function findReport(tx: Tx, runId: string): Promise<Row<"run_reports"> | undefined> {
  return await tx.q.selectFrom("run_reports").selectAll().where("run_id", "=", runId).executeTakeFirst();
}

/** Deletes the text in the reports of these runs. Keeps the runs' status and usage. */
export async function redactReports(tx: Tx, runIds: string[]): Promise<void> {
  await tx.q
    .updateTable("run_reports")
    .set({ details: "{}", attributes: "{}", tags: "[]" })
    .where("run_id", "in", idsOf(tx, runIds))
    .execute();
}
