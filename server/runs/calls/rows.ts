import type { Database, Tx } from "#storage/database/database.ts";
import type { NewRow, Row } from "#storage/database/tables.ts";
import { idsOf } from "#storage/database/portable-sql.ts";
import type * as runRows from "../rows.ts";

/** The SQL of the tool calls that were carried out: a table that only this module writes. */

export type CallRow = Row<"tool_calls">;

/** A call of a run, before the thread is known by the row of the run. */
export type CarriedOutCall = Omit<NewRow<"tool_calls">, "thread_id">;

/** Stores these calls, or how they ended if they are stored. */
export async function putCalls(tx: Tx, calls: readonly CarriedOutCall[]): Promise<void> {
  if (calls.length === 0) return;
  await tx.q
    .insertInto("tool_calls")
    .values(await withThreads(tx, calls))
    .onConflict((row) =>
      row.columns(["run_id", "tool_call_id"]).doUpdateSet((is) => ({
        result_from: is.ref("excluded.result_from"),
        received_bytes: is.ref("excluded.received_bytes"),
        ended_at: is.ref("excluded.ended_at"),
        outcome: is.ref("excluded.outcome"),
      })),
    )
    .execute();
}

/** Stores that these calls of one run are sent. Returns the ids of those that were stored before: they were sent already. */
export async function claimCalls(tx: Tx, calls: readonly CarriedOutCall[]): Promise<Set<string>> {
  const [first] = calls;
  if (first === undefined) return new Set();
  const found = await tx.q
    .selectFrom("tool_calls")
    .select(["tool_call_id", "sent_at"])
    .where("run_id", "=", first.run_id)
    .execute();
  const sentAt = new Map(found.map(({ tool_call_id: id, sent_at: at }) => [id, at]));
  const added = calls.filter(({ tool_call_id: id }) => !sentAt.has(id));
  if (added.length > 0)
    await tx.q
      .insertInto("tool_calls")
      .values(await withThreads(tx, added))
      .execute();
  // The same moment: an earlier attempt of this transaction, whose commit was not confirmed.
  const repeated = calls.filter(({ tool_call_id: id, sent_at: at }) => (sentAt.get(id) ?? at) !== at);
  return new Set(repeated.map(({ tool_call_id: id }) => id));
}

async function withThreads(tx: Tx, calls: readonly CarriedOutCall[]): Promise<NewRow<"tool_calls">[]> {
  const ids = [...new Set(calls.map(({ run_id: id }) => id))];
  const runs = await tx.q
    .selectFrom("runs")
    .select(["id", "thread_id"])
    .where("id", "in", idsOf(tx, ids))
    .execute();
  const threads = new Map(runs.map(({ id, thread_id: threadId }) => [id, threadId]));
  return calls.flatMap((call) => {
    const threadId = threads.get(call.run_id);
    return threadId === undefined ? [] : [{ ...call, thread_id: threadId }];
  });
}

/** The ids of the calls of a run that were sent. */
export async function listSentCalls(db: Pick<Database, "read">, runId: string): Promise<Set<string>> {
  const found = await db.read
    .selectFrom("tool_calls")
    .select("tool_call_id")
    .where("run_id", "=", runId)
    .execute();
  return new Set(found.map(({ tool_call_id: id }) => id));
}

/** Where the text of strangers in a thread is from. */
export async function listStrangers(db: Pick<Database, "read">, threadId: string): Promise<string[]> {
  const found = await db.read
    .selectFrom("tool_calls")
    .select("result_from")
    .distinct()
    .where("thread_id", "=", threadId)
    .where("result_from", "is not", null)
    .execute();
  return found.flatMap(({ result_from: from }) => from ?? []);
}

/** The calls of a run, and of other runs of the same reply, oldest first. */
export async function findCalls(
  db: Pick<Database, "read">,
  { id, reply_id: replyId, workspace_id: workspaceId }: runRows.RunRow,
): Promise<(CallRow & { user_id: string })[]> {
  return await db.read
    .selectFrom("tool_calls")
    .innerJoin("runs", "runs.id", "tool_calls.run_id")
    .selectAll("tool_calls")
    .select("runs.user_id")
    .where("runs.workspace_id", "=", workspaceId)
    .where((is) => is.or([is("runs.id", "=", id), is("runs.reply_id", "=", replyId)]))
    .orderBy("tool_calls.sent_at")
    .orderBy("tool_calls.tool_call_id")
    .execute();
}

/** In the transaction of an erasure: deletes what is stored of the calls of these runs. */
export async function eraseCalls(tx: Tx, runIds: string[]): Promise<void> {
  await tx.q.deleteFrom("tool_calls").where("run_id", "in", idsOf(tx, runIds)).execute();
}
