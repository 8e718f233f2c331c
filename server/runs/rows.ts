import { forUpdate, idsOf, isOneOf } from "#storage/database/portable-sql.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { sql } from "#storage/database/sql.ts";
import type { NewRow, Row, RowChange } from "#storage/database/tables.ts";
import type { ThreadMove } from "../threads/claim.ts";
import { movedTopic, runTopic } from "./log/topics.ts";
import type { ModelUse } from "./model-rules.ts";

/** The SQL of runs: a table that only this module writes. */

export type RunRow = Row<"runs">;

/** The defaults of a new run. */
export const blankRun = {
  thread_id: null,
  message_id: null,
  reply_id: null,
  assistant_id: null,
  model: null,
  reasoning_effort: null,
  state: "running",
  finish_reason: null,
  error_code: null,
  notes: null,
  request_hash: null,
  time_zone: null,
  stop_requested_at: null,
  asked_again: 0,
  lease_owner: null,
  lease_expires_at: null,
  input_tokens: null,
  output_tokens: null,
  reasoning_tokens: null,
  cached_tokens: null,
  context_tokens: null,
  cost_micros: null,
  started_at: null,
  first_token_at: null,
  ended_at: null,
  comparison_id: null,
  is_blind: 0,
  reserved_tokens: null,
  reserved_micros: null,
} as const satisfies Partial<RunRow>;

export function modelUseOf(
  run: Pick<RunRow, "app_id" | "workspace_id" | "user_id" | "thread_id" | "assistant_id">,
): ModelUse {
  return {
    appId: run.app_id,
    workspaceId: run.workspace_id,
    userId: run.user_id,
    threadId: run.thread_id,
    assistantId: run.assistant_id,
  };
}

/** The model as people may see it: null while it is secret. */
export function visibleModel({
  model,
  is_blind: isBlind,
}: Pick<RunRow, "model" | "is_blind">): string | null {
  return isBlind === 1 ? null : model;
}

/** The cost in US dollars as people may see it: null while it would give the model away. */
export function visibleCost({
  cost_micros: micros,
  is_blind: isBlind,
}: Pick<RunRow, "cost_micros" | "is_blind">): number | null {
  return isBlind === 1 || micros === null ? null : micros / 1e6;
}

/** The tokens as people may see them: null while they would give the model away, because each model counts in its own way. */
export function visibleUsage(
  run: Pick<RunRow, "input_tokens" | "output_tokens" | "reasoning_tokens" | "cached_tokens" | "is_blind">,
) {
  const isBlind = run.is_blind === 1;
  return {
    input: isBlind ? null : run.input_tokens,
    output: isBlind ? null : run.output_tokens,
    reasoning: isBlind ? null : run.reasoning_tokens,
    cached: isBlind ? null : run.cached_tokens,
  };
}

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

/** A run of any workspace: its thread may have been claimed since the run started. */
export async function readRun(db: Database, id: string): Promise<RunRow | undefined> {
  return await db.read.selectFrom("runs").selectAll().where("id", "=", id).executeTakeFirst();
}

/** Which assistant and model wrote these replies, and the notes about replacements. */
export async function findAuthors(
  db: Database,
  ids: string[],
): Promise<
  (Pick<RunRow, "id" | "assistant_id" | "model" | "notes" | "is_blind"> & {
    open_comparison_id: string | null;
  })[]
> {
  return await db.read
    .selectFrom("runs")
    .leftJoin("comparisons", (join) =>
      join.onRef("comparisons.id", "=", "runs.comparison_id").on("comparisons.chosen_reply_id", "is", null),
    )
    .select([
      "runs.id",
      "assistant_id",
      "model",
      "notes",
      "runs.is_blind",
      "comparisons.id as open_comparison_id",
    ])
    .where("runs.id", "in", idsOf(db, ids))
    .execute();
}

/** A run of any workspace. */
export async function findRunAnywhere(tx: Pick<Tx, "q">, id: string): Promise<RunRow | undefined> {
  return await tx.q.selectFrom("runs").selectAll().where("id", "=", id).executeTakeFirst();
}

/** Prevents other transactions from changing the run until this one ends. */
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

/** A run in progress that answers `messageId` or writes it. */
export async function findActive(tx: Tx, messageId: string): Promise<RunRow | undefined> {
  return await tx.q
    .selectFrom("runs")
    .selectAll()
    .where("ended_at", "is", null)
    .where((is) => is.or([is("message_id", "=", messageId), is("reply_id", "=", messageId)]))
    .executeTakeFirst();
}

/** Whether a run in progress answers the message or writes it, besides those of other replies of this comparison. */
export async function isBusy(
  tx: Tx,
  { messageId, replyId, comparisonId }: { messageId: string; replyId: string; comparisonId: string | null },
): Promise<boolean> {
  const active = await tx.q
    .selectFrom("runs")
    .select(["reply_id", "comparison_id"])
    .where("ended_at", "is", null)
    .where((is) => is.or([is("message_id", "=", messageId), is("reply_id", "=", messageId)]))
    .execute();
  return active.some(
    (run) => comparisonId === null || run.comparison_id !== comparisonId || run.reply_id === replyId,
  );
}

/** Whether the run belongs to a comparison without a choice, or to one whose choice is another answer. */
export async function isUnchosen(
  tx: Tx,
  { comparison_id: id, reply_id: replyId }: Pick<RunRow, "comparison_id" | "reply_id">,
): Promise<boolean> {
  if (id === null) return false;
  const found = await tx.q
    .selectFrom("comparisons")
    .select("chosen_reply_id")
    .where("id", "=", id)
    .executeTakeFirst();
  return found?.chosen_reply_id !== replyId;
}

/** Whether the run is the first of its comparison, or belongs to none. */
export async function isFirstOfComparison(
  db: Database,
  { id, comparison_id: comparisonId }: Pick<RunRow, "id" | "comparison_id">,
): Promise<boolean> {
  if (comparisonId === null) return true;
  const first = await db.read
    .selectFrom("runs")
    .select("id")
    .where("comparison_id", "=", comparisonId)
    .orderBy("created_at")
    .orderBy("id")
    .executeTakeFirst();
  return first?.id === id;
}

/** What the thread's latest answer took of which the provider counted the tokens. */
export async function findLastUse(
  q: Tx["q"],
  threadId: string,
): Promise<{ context_tokens: number | null; cost_micros: number | null } | undefined> {
  return await q
    .selectFrom("runs")
    .select(["context_tokens", "cost_micros"])
    .where("thread_id", "=", threadId)
    .where("context_tokens", "is not", null)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
}

/** How many runs of this person are in progress in this workspace. Runs that wait for a person do not count. */
export async function countActive(
  tx: Tx,
  { workspaceId, userId }: { workspaceId: string; userId: string },
): Promise<number> {
  const { count } = await tx.q
    .selectFrom("runs")
    .select((run) => run.fn.countAll<number>().as("count"))
    .where("workspace_id", "=", workspaceId)
    .where("user_id", "=", userId)
    .where("ended_at", "is", null)
    .where("state", "!=", "requires-action")
    .executeTakeFirstOrThrow();
  return count;
}

/** Which of `ids` are running with this owner's lease. Locks them until the transaction ends. */
export async function lockLeased(tx: Tx, ids: string[], leaseOwner: string): Promise<Set<string>> {
  const query = tx.q
    .selectFrom("runs")
    .select("id")
    .where(isOneOf(tx, "id", ids))
    .where("lease_owner", "=", leaseOwner)
    .where("state", "=", "running")
    .orderBy("id");
  return new Set((await forUpdate(tx, query).execute()).map((row) => row.id));
}

/** The replies of the runs of a workspace that have not ended, and of those of its person in threads of others. */
export async function listActiveReplies(tx: Tx, workspaceId: string): Promise<string[]> {
  const found = await tx.q
    .selectFrom("runs")
    .select("reply_id")
    .where("workspace_id", "=", workspaceId)
    .where("ended_at", "is", null)
    .execute();
  const elsewhere = await tx.q
    .selectFrom("runs")
    .innerJoin("users", "users.id", "runs.user_id")
    .innerJoin("workspaces", "workspaces.id", "runs.workspace_id")
    .select("runs.reply_id")
    .where("users.workspace_id", "=", workspaceId)
    // Elsewhere, backends choose the ids of users.
    .where("workspaces.realm", "=", "own")
    .where("runs.ended_at", "is", null)
    .execute();
  return [...found, ...elsewhere].flatMap(({ reply_id: id }) => id ?? []);
}

/** Asks the runs in progress of these replies to stop. Returns their ids. */
export async function requestStop(tx: Tx, replyIds: string[], nowMs: number): Promise<string[]> {
  const stopped = await tx.q
    .updateTable("runs")
    .set((run) => ({ stop_requested_at: run.fn.coalesce("stop_requested_at", run.val(nowMs)) }))
    .where("ended_at", "is", null)
    .where("reply_id", "in", idsOf(tx, replyIds))
    .returning("id")
    .execute();
  return stopped.map(({ id }) => id);
}

/** Moves the runs of moved threads to the new workspace. Runs of `from.userId` become runs of `to.userId`. */
export async function moveRuns(tx: Tx, { threadIds, from, to }: ThreadMove): Promise<void> {
  const moved = await tx.q
    .updateTable("runs")
    .set((run) => ({
      app_id: to.appId,
      workspace_id: to.workspaceId,
      user_id: run.case().when("user_id", "=", from.userId).then(to.userId).else(run.ref("user_id")).end(),
    }))
    .where("workspace_id", "=", from.workspaceId)
    .where("thread_id", "in", idsOf(tx, threadIds))
    .returning(["id", "ended_at"])
    .execute();
  for (const { id, ended_at: endedAt } of moved) if (endedAt === null) tx.publishOnCommit.add(movedTopic(id));
}

/** Renews this owner's leases of `ids`. Locks the runs in the order of their ids, as the writer does. */
export async function renewLeases(
  tx: Tx,
  leaseOwner: string,
  ids: string[],
  expiresAt: number,
): Promise<void> {
  const locked = await lockLeased(tx, ids, leaseOwner);
  if (locked.size === 0) return;
  await tx.q
    .updateTable("runs")
    .set({ lease_expires_at: expiresAt })
    .where("id", "in", [...locked])
    .execute();
}

/** Which of `ids` were asked to stop. */
export async function findStopRequested(tx: Tx, ids: string[]): Promise<string[]> {
  const runs = await tx.q
    .selectFrom("runs")
    .select("id")
    .where(isOneOf(tx, "id", ids))
    .where("stop_requested_at", "is not", null)
    .execute();
  return runs.map(({ id }) => id);
}

export type Lease = Pick<RunRow, "id" | "lease_owner" | "lease_expires_at">;

/** The leases of all runs in progress, of every process. */
export async function findLeases(db: Database): Promise<Lease[]> {
  return await db.read
    .selectFrom("runs")
    .select(["id", "lease_owner", "lease_expires_at"])
    .where("ended_at", "is", null)
    .where("state", "=", "running")
    .where("lease_owner", "is not", null)
    .execute();
}

/** Runs that wait for a person although they were asked to stop or their thread is gone. */
export async function findAbandonedWaiting(db: Database): Promise<Lease[]> {
  return await db.read
    .selectFrom("runs")
    .select(["id", "lease_owner", "lease_expires_at"])
    .where("ended_at", "is", null)
    .where("state", "=", "requires-action")
    .where((is) => is.or([is("stop_requested_at", "is not", null), is("thread_id", "is", null)]))
    .limit(100)
    .execute();
}

/** Runs that ended before `before` and still have a log: its number of entries, and the last deleted number. */
export async function findEndedWithLog(
  db: Database,
  before: number,
  limit: number,
): Promise<{ id: string; entries: number; prunedSeq: number }[]> {
  return await db.read
    .selectFrom("log_topics")
    .innerJoin("runs", (join) =>
      join.on(sql<boolean>`runs.id = substr(log_topics.topic, ${runTopic("").length + 1})`),
    )
    .select(["runs.id", "log_topics.pruned_seq as prunedSeq"])
    .select(sql<number>`log_topics.last_seq - log_topics.pruned_seq`.as("entries"))
    .where("log_topics.topic", ">=", "run:")
    .where("log_topics.topic", "<", "run;")
    .where("runs.ended_at", "<", before)
    .limit(limit)
    .execute();
}
