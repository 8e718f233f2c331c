import type { RetentionPreview } from "#contract/retention/endpoints.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { forUpdate } from "#storage/database/portable-sql.ts";
import { sql, type Kysely } from "#storage/database/sql.ts";
import type { Row, Tables } from "#storage/database/tables.ts";
import type { RetentionRow } from "#server/apps/retention-rules.ts";
import { stagingName } from "#server/people/users/staging-workspace.ts";

/** The SQL of retention. */

export async function listAppsWithRetention(db: Database): Promise<string[]> {
  const found = await db.read.selectFrom("app_retention").select("app_id").orderBy("app_id").execute();
  return found.map(({ app_id: id }) => id);
}

/** Locks the app, so that two changes follow each other. Returns false if there is none. */
export async function lockApp(tx: Tx, id: string): Promise<boolean> {
  const query = tx.q.selectFrom("apps").select("id").where("id", "=", id);
  return (await forUpdate(tx, query).executeTakeFirst()) !== undefined;
}

export async function putRetention(tx: Tx, row: RetentionRow): Promise<void> {
  const { app_id: _, ...change } = row;
  await tx.q
    .insertInto("app_retention")
    .values(row)
    .onConflict((conflict) => conflict.column("app_id").doUpdateSet(change))
    .execute();
}

type Query = Pick<Kysely<Tables>, "selectFrom">;
type Old = { appId: string; beforeMs: number };

/**
 * Threads of the app in which nothing has happened since `beforeMs` and that nobody writes. Not those of people with an
 * account, of somebody who is invited to theirs, or of an owner without one, and not those that are being imported.
 */
function oldThreads(q: Query, { appId, beforeMs }: Old) {
  return (
    q
      .selectFrom("threads")
      .where("app_id", "=", appId)
      .where("temporary_until", "is", null)
      .where("last_message_at", "<", beforeMs)
      .where("updated_at", "<", beforeMs)
      // Not lists: each deletion asks this again, and there are as many guests and workspaces as an app has users.
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom("users")
              .select("users.id")
              .whereRef("users.workspace_id", "=", "threads.workspace_id")
              .where((is) =>
                is.or([
                  is("joined_at", "is not", null),
                  is("kind", "!=", "anonymous"),
                  is.exists(
                    is
                      .selectFrom("prepared_people")
                      .select("user_id")
                      .whereRef("prepared_people.user_id", "=", "users.id"),
                  ),
                ]),
              ),
          ),
        ),
      )
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom("workspaces")
              .select("workspaces.id")
              .whereRef("workspaces.id", "=", "threads.workspace_id")
              .where("name", "=", stagingName),
          ),
        ),
      )
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom("runs")
              .select("runs.id")
              .whereRef("runs.thread_id", "=", "threads.id")
              .where("ended_at", "is", null)
              // An answer that has waited for a person since then is left.
              .where("state", "!=", "requires-action"),
          ),
        ),
      )
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom("client_leases")
              .select("client_leases.id")
              .whereRef("client_leases.thread_id", "=", "threads.id")
              .where("heartbeat_at", ">=", beforeMs),
          ),
        ),
      )
  );
}

export async function findOldThreads(db: Database, old: Old, limit: number): Promise<string[]> {
  const found = await oldThreads(db.readWorker, old).select("id").limit(limit).execute();
  return found.map(({ id }) => id);
}

/** Locks the thread and returns its workspace, if it is still old. */
export async function lockOldThread(tx: Tx, id: string, old: Old): Promise<string | undefined> {
  // Two queries: in PostgreSQL, one that waited for the lock would not see a run that started meanwhile.
  await forUpdate(tx, tx.q.selectFrom("threads").select("id").where("id", "=", id)).execute();
  const thread = await oldThreads(tx.q, old).select("workspace_id").where("id", "=", id).executeTakeFirst();
  return thread?.workspace_id;
}

/** What is older than these times. */
export async function countOld(
  db: Database,
  appId: string,
  { threadsBeforeMs, spansBeforeMs }: { threadsBeforeMs: number; spansBeforeMs: number },
): Promise<RetentionPreview> {
  const bytes = (sum: ReturnType<typeof sql>) => sql<number>`cast(coalesce(sum(${sum}), 0) as bigint)`;
  const found = await db.readWorker
    .with("old", (q) => oldThreads(q, { appId, beforeMs: threadsBeforeMs }).select(["id", "text_bytes"]))
    .with("old_files", (q) =>
      q
        .selectFrom("files")
        .select("size_bytes")
        .where(
          "id",
          "in",
          sql<string>`(select file_id from file_claims where thread_id in (select id from old))`,
        )
        .where(
          "id",
          "not in",
          sql<string>`(select file_id from file_claims where thread_id not in (select id from old))`,
        ),
    )
    .selectNoFrom((q) => [
      q
        .selectFrom("old")
        .select(sql<number>`count(*)`.as("count"))
        .as("threads"),
      q
        .selectFrom("old")
        .select(bytes(sql`text_bytes`).as("sum"))
        .as("text_bytes"),
      q
        .selectFrom("messages")
        .select(sql<number>`count(*)`.as("count"))
        .where("thread_id", "in", sql<string>`(select id from old)`)
        .as("messages"),
      q
        .selectFrom("old_files")
        .select(sql<number>`count(*)`.as("count"))
        .as("files"),
      q
        .selectFrom("old_files")
        .select(bytes(sql`size_bytes`).as("sum"))
        .as("file_bytes"),
      q
        .selectFrom("run_spans")
        .innerJoin("runs", "runs.id", "run_spans.run_id")
        .select(sql<number>`count(*)`.as("count"))
        .where("runs.app_id", "=", appId)
        .where("runs.created_at", "<", spansBeforeMs)
        .where(hasTexts)
        .as("spans"),
    ])
    .executeTakeFirstOrThrow();
  const { text_bytes: textBytes, file_bytes: fileBytes, ...counts } = found as Record<string, number>;
  return { ...counts, bytes: textBytes! + fileBytes! } as RetentionPreview;
}

const hasTexts = sql<boolean>`(input is not null or output is not null or attributes <> '{}')`;

type Period = { appId: string; fromMs: number; beforeMs: number };

/** The end of a part of this period with about `limit` runs: `beforeMs`, if it has no more. */
export async function endOfRuns(tx: Tx, { appId, fromMs, beforeMs }: Period, limit: number): Promise<number> {
  const last = await tx.q
    .selectFrom("runs")
    .select("created_at")
    .where("app_id", "=", appId)
    .where("created_at", ">=", fromMs)
    .where("created_at", "<", beforeMs)
    .orderBy("created_at")
    .orderBy("id")
    .offset(limit - 1)
    .limit(1)
    .executeTakeFirst();
  return last === undefined ? beforeMs : last.created_at + 1;
}

function runsIn(tx: Tx, { appId, fromMs, beforeMs }: Period) {
  return tx.q
    .selectFrom("runs")
    .select("id")
    .where("app_id", "=", appId)
    .where("created_at", ">=", fromMs)
    .where("created_at", "<", beforeMs);
}

export async function emptySpans(tx: Tx, period: Period): Promise<void> {
  await tx.q
    .updateTable("run_spans")
    .set({ input: null, output: null, attributes: "{}" })
    .where("run_id", "in", runsIn(tx, period))
    .where(hasTexts)
    .execute();
}

export async function listReports(
  tx: Tx,
  period: Period,
): Promise<Pick<Row<"run_reports">, "run_id" | "details" | "attributes">[]> {
  return await tx.q
    .selectFrom("run_reports")
    .select(["run_id", "details", "attributes"])
    .where("run_id", "in", runsIn(tx, period))
    .execute();
}

/** Does nothing if another turn or a change of the rules came first. Returns whether it did. */
export async function setEmptiedUntil(tx: Tx, appId: string, fromMs: number, toMs: number): Promise<boolean> {
  const { numUpdatedRows } = await tx.q
    .updateTable("app_retention")
    .set({ emptied_until: toMs })
    .where("app_id", "=", appId)
    .where("emptied_until", "=", fromMs)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
