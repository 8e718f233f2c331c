import type { Database, Tx } from "#storage/database/database.ts";
import { idsOf, isOneOf } from "#storage/database/portable-sql.ts";
import { sql } from "#storage/database/sql.ts";
import type { NewRow, Row } from "#storage/database/tables.ts";
import { hasNoAccount } from "#server/people/accounts/private-workspaces.ts";
import type { ThreadMove } from "#server/threads/claim.ts";
import { isLastingThread } from "#server/threads/temporary-rows.ts";

/** The SQL of scores: a table that only this module writes. */

export type ScoreRow = Row<"scores">;

export type Target = Pick<ScoreRow, "target" | "thread_id" | "message_id" | "run_id">;

/** Stores a score. An existing one of the same target, name and author is updated and keeps its id. */
export async function saveScore(tx: Tx, score: NewRow<"scores">): Promise<ScoreRow> {
  return await tx.q
    .insertInto("scores")
    .values(score)
    .onConflict((conflict) =>
      conflict.columns(["target", "name", "author_id"]).doUpdateSet((row) => ({
        source: row.ref("excluded.source"),
        data_type: row.ref("excluded.data_type"),
        value: row.ref("excluded.value"),
        string_value: row.ref("excluded.string_value"),
        comment: row.ref("excluded.comment"),
        updated_at: row.ref("excluded.updated_at"),
      })),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Stores scores, except where one of the same target, name and author exists. */
export async function insertMissingScores(tx: Tx, scores: NewRow<"scores">[]): Promise<void> {
  for (let from = 0; from < scores.length; from += 500)
    await tx.q
      .insertInto("scores")
      .values(scores.slice(from, from + 500))
      .onConflict((conflict) => conflict.columns(["target", "name", "author_id"]).doNothing())
      .execute();
}

export async function findScore(
  tx: Tx,
  target: string,
  name: string,
  authorId: string,
): Promise<ScoreRow | undefined> {
  return await tx.q
    .selectFrom("scores")
    .selectAll()
    .where("target", "=", target)
    .where("name", "=", name)
    .where("author_id", "=", authorId)
    .executeTakeFirst();
}

/** This person's scores of a thread and its messages. */
export async function listScoresOfThread(
  db: Database,
  threadId: string,
  authorId: string,
): Promise<ScoreRow[]> {
  return await db.readWorker
    .selectFrom("scores")
    .selectAll()
    .where("thread_id", "=", threadId)
    .where("author_id", "=", authorId)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
}

/** This person's boolean scores of these targets with this name. */
export async function listBooleanScores(
  db: Database,
  targets: string[],
  name: string,
  authorId: string,
): Promise<Pick<ScoreRow, "message_id" | "value" | "string_value" | "comment">[]> {
  return await db.read
    .selectFrom("scores")
    .select(["message_id", "value", "string_value", "comment"])
    .where(isOneOf(db, "target", targets))
    .where("name", "=", name)
    .where("author_id", "=", authorId)
    .where("data_type", "=", "boolean")
    .execute();
}

/** Deletes one person's score of a target. Returns whether it existed. */
export async function deleteScore(tx: Tx, target: string, name: string, authorId: string): Promise<boolean> {
  const deleted = await tx.q
    .deleteFrom("scores")
    .where("target", "=", target)
    .where("name", "=", name)
    .where("author_id", "=", authorId)
    .executeTakeFirst();
  return deleted.numDeletedRows > 0n;
}

/** Whether a score is not of a temporary thread. */
const isLasting = sql<boolean>`${isLastingThread("scores.thread_id")} and not exists (
  select 1 from runs where runs.id = scores.run_id and not ${isLastingThread("runs.thread_id")}
)`;

export async function findAppScore(db: Database, appId: string, id: string): Promise<ScoreRow | undefined> {
  return await db.read
    .selectFrom("scores")
    .selectAll()
    .where("id", "=", id)
    .where("app_id", "=", appId)
    .where(hasNoAccount("workspace_id"))
    .where(isLasting)
    .executeTakeFirst();
}

type Filter = {
  name: string | undefined;
  threadId: string | undefined;
  runId: string | undefined;
  sinceMs: number | undefined;
  after: ScoreRow | undefined;
  limit: number;
};

/** A page of an app's scores after `after`, newest first. */
export async function listScores(db: Database, appId: string, filter: Filter): Promise<ScoreRow[]> {
  let query = db.read
    .selectFrom("scores")
    .selectAll()
    .where("app_id", "=", appId)
    .where(hasNoAccount("workspace_id"))
    .where(isLasting)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(filter.limit);
  if (filter.name !== undefined) query = query.where("name", "=", filter.name);
  if (filter.threadId !== undefined) query = query.where("thread_id", "=", filter.threadId);
  if (filter.runId !== undefined) query = query.where("run_id", "=", filter.runId);
  if (filter.sinceMs !== undefined) query = query.where("created_at", ">=", filter.sinceMs);
  if (filter.after !== undefined)
    query = query.where(sql<boolean>`(created_at, id) < (${filter.after.created_at}, ${filter.after.id})`);
  return await query.execute();
}

/** Deletes this person's scores. */
export async function deleteScoresOf(tx: Tx, appId: string, authorId: string): Promise<void> {
  await tx.q.deleteFrom("scores").where("app_id", "=", appId).where("author_id", "=", authorId).execute();
}

/** Deletes the scores of a thread, its messages and its runs. */
export async function deleteScoresOfThread(tx: Tx, threadId: string): Promise<void> {
  const runs = tx.q.selectFrom("runs").select("id").where("thread_id", "=", threadId);
  await tx.q
    .deleteFrom("scores")
    .where((is) => is.or([is("thread_id", "=", threadId), is("run_id", "in", runs)]))
    .execute();
}

/** Moves the scores of moved threads, their messages and runs to the new workspace and author. */
export async function reassignScores(tx: Tx, { threadIds, from, to }: ThreadMove): Promise<void> {
  const ids = idsOf(tx, threadIds);
  const runs = tx.q.selectFrom("runs").select("id").where("thread_id", "in", ids);
  await tx.q
    .updateTable("scores")
    .set((score) => ({
      app_id: to.appId,
      workspace_id: to.workspaceId,
      author_id: score
        .case()
        .when("author_id", "=", from.userId)
        .then(to.userId)
        .else(score.ref("author_id"))
        .end(),
    }))
    .where("workspace_id", "=", from.workspaceId)
    .where((score) => score.or([score("thread_id", "in", ids), score("run_id", "in", runs)]))
    .execute();
}
