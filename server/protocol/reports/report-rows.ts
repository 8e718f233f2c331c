import type { Tx } from "#storage/database/database.ts";
import { idsOf } from "#storage/database/portable-sql.ts";
import type { NewRow, Row, RowChange } from "#storage/database/tables.ts";

/** The SQL of reports: what only reported runs have, beside their rows in `runs`. */

export async function insertReport(tx: Tx, report: NewRow<"run_reports">): Promise<void> {
  await tx.q.insertInto("run_reports").values(report).execute();
}

export async function changeReport(tx: Tx, runId: string, change: RowChange<"run_reports">): Promise<void> {
  await tx.q.updateTable("run_reports").set(change).where("run_id", "=", runId).execute();
}

/** The run that was reported under this trace of this thread. */
export async function findReported(tx: Tx, threadId: string, traceId: string): Promise<string | undefined> {
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

/** Takes the words out of the reports of these runs; that they were, and what they used, stays. */
export async function emptyReports(tx: Tx, runIds: string[]): Promise<void> {
  await tx.q
    .updateTable("run_reports")
    .set({ details: "{}", attributes: "{}", tags: "[]" })
    .where("run_id", "in", idsOf(tx, runIds))
    .execute();
}
