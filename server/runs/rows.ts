import { forUpdate } from "#storage/sql/engine.ts";
import type { Database, Tx } from "#storage/sql/database.ts";
import { sql } from "#storage/sql/sql.ts";
import type { NewRow, Row, RowChange } from "#storage/sql/tables.ts";
import { runTopic } from "./topics.ts";

/** The SQL of runs: a table that only this room writes. */

export type RunRow = Row<"runs">;

/** What every new run begins with; who makes one fills in the rest. */
export const blankRun = {
  thread_id: null,
  message_id: null,
  reply_id: null,
  assistant_id: null,
  model: null,
  state: "running",
  finish_reason: null,
  error_code: null,
  request_hash: null,
  stop_requested_at: null,
  lease_owner: null,
  lease_expires_at: null,
  input_tokens: null,
  output_tokens: null,
  reasoning_tokens: null,
  cached_tokens: null,
  cost_micros: null,
  started_at: null,
  first_token_at: null,
  ended_at: null,
} as const satisfies Partial<RunRow>;

export async function insertRun(tx: Tx, run: NewRow<"runs">): Promise<void> {
  await tx.q.insertInto("runs").values(run).execute();
}

export async function changeRun(tx: Tx, id: string, change: RowChange<"runs">): Promise<void> {
  await tx.q.updateTable("runs").set(change).where("id", "=", id).execute();
}

/** A run of this workspace. */
export async function findRun(db: Database, workspaceId: string, id: string): Promise<RunRow | undefined> {
  return await db.read
    .selectFrom("runs")
    .selectAll()
    .where("id", "=", id)
    .where("workspace_id", "=", workspaceId)
    .executeTakeFirst();
}

/** Whoever's run has this id. */
export async function findRunAnywhere(tx: Tx, id: string): Promise<RunRow | undefined> {
  return await tx.q.selectFrom("runs").selectAll().where("id", "=", id).executeTakeFirst();
}

/** Keeps other transactions from changing the run until this one ends. */
export async function lockRun(tx: Tx, id: string): Promise<RunRow | undefined> {
  return await forUpdate(tx, tx.q.selectFrom("runs").selectAll().where("id", "=", id)).executeTakeFirst();
}

/** The first run that answers this message. */
export async function findFirstAnswering(tx: Tx, messageId: string): Promise<RunRow | undefined> {
  return await tx.q
    .selectFrom("runs")
    .selectAll()
    .where("message_id", "=", messageId)
    .orderBy("created_at")
    .orderBy("id")
    .executeTakeFirst();
}

/** A run under way that answers `messageId` or writes it. */
export async function findBusy(tx: Tx, messageId: string): Promise<RunRow | undefined> {
  return await tx.q
    .selectFrom("runs")
    .selectAll()
    .where("ended_at", "is", null)
    .where((is) => is.or([is("message_id", "=", messageId), is("reply_id", "=", messageId)]))
    .executeTakeFirst();
}

/** Those of `ids` that are running under this owner's lease, held until the transaction ends. */
export async function holdLeased(tx: Tx, ids: string[], leaseOwner: string): Promise<Set<string>> {
  const query = tx.q
    .selectFrom("runs")
    .select("id")
    .where("id", "in", ids)
    .where("lease_owner", "=", leaseOwner)
    .where("state", "=", "running")
    .orderBy("id");
  return new Set((await forUpdate(tx, query).execute()).map((row) => row.id));
}

/** Moves the end of this owner's leases of `ids`, held in their order as the writer holds them. */
export async function renewLeases(
  tx: Tx,
  leaseOwner: string,
  ids: string[],
  expiresAt: number,
): Promise<void> {
  const held = await holdLeased(tx, ids, leaseOwner);
  if (held.size === 0) return;
  await tx.q
    .updateTable("runs")
    .set({ lease_expires_at: expiresAt })
    .where("id", "in", [...held])
    .execute();
}

/** Runs under way whose lease is over, and, where `alsoOthers`, every one that is not this owner's. */
export async function findAbandoned(
  db: Database,
  from: { leaseOwner: string; nowMs: number; alsoOthers: boolean },
): Promise<RunRow[]> {
  return await db.read
    .selectFrom("runs")
    .selectAll()
    .where("ended_at", "is", null)
    .where("state", "in", ["queued", "running"])
    .where((is) =>
      is.or([
        is("lease_expires_at", "<", from.nowMs),
        ...(from.alsoOthers ? [is("lease_owner", "!=", from.leaseOwner)] : []),
      ]),
    )
    .limit(100)
    .execute();
}

/** Runs that ended before `before` and whose log is still there. */
export async function findEndedWithLog(db: Database, before: number, limit: number): Promise<string[]> {
  const found = await db.read
    .selectFrom("log_topics")
    .innerJoin("runs", (join) =>
      join.on(sql<boolean>`runs.id = substr(log_topics.topic, ${runTopic("").length + 1})`),
    )
    .select("runs.id")
    .where("log_topics.topic", ">=", "run:")
    .where("log_topics.topic", "<", "run;")
    .where("runs.ended_at", "<", before)
    .limit(limit)
    .execute();
  return found.map((row) => row.id);
}
