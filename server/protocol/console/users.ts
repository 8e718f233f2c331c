import { isoTime } from "#server/lib/clock.ts";
import type { AppUser } from "#contract/endpoints/console.ts";
import type { Database } from "#storage/database/database.ts";
import { sql } from "#storage/database/sql.ts";
import { hasNoAccount } from "#server/people/accounts/private-workspaces.ts";
import { pageOf, positionCursor, readPosition, type Position } from "#server/lib/page.ts";

/** A page of an app's users, the last active first. Throws `bad-cursor`. */
export async function listUsers(
  db: Database,
  appId: string,
  { search, cursor, limit }: { search: string | undefined; cursor: string | undefined; limit: number },
): Promise<{ users: AppUser[]; next: string | null }> {
  const found = await selectUsers(db, appId, {
    search,
    after: cursor === undefined ? undefined : readPosition(cursor),
    limit: limit + 1,
  });
  const { page, next } = pageOf(found, limit, ({ last_active_at: atMs, id }) => positionCursor({ atMs, id }));
  const users = page.map((row) => ({
    id: row.id,
    threads: row.threads,
    runs: row.runs,
    last_active_at: isoTime(row.last_active_at),
  }));
  return { users, next };
}

type UserRow = { id: string; threads: number; runs: number; last_active_at: number };

async function selectUsers(
  db: Database,
  appId: string,
  { search, after, limit }: { search: string | undefined; after: Position | undefined; limit: number },
): Promise<UserRow[]> {
  const threads = db.readWorker
    .selectFrom("threads")
    .where("app_id", "=", appId)
    .where("created_by", "is not", null)
    .where("deleted_at", "is", null)
    .where(hasNoAccount("workspace_id"))
    .select(["created_by as id", sql<number>`1`.as("threads"), sql<number>`0`.as("runs")])
    .select("last_message_at as at");
  const runs = db.readWorker
    .selectFrom("runs")
    .where("app_id", "=", appId)
    .where("user_id", "is not", null)
    .where(hasNoAccount("workspace_id"))
    .select(["user_id as id", sql<number>`0`.as("threads"), sql<number>`1`.as("runs")])
    .select("created_at as at");
  const lastActiveAt = sql<number>`max(at)`;
  let query = db.readWorker
    .selectFrom(threads.unionAll(runs).as("activity"))
    .select("id")
    .select([sql<number>`sum(threads)`.as("threads"), sql<number>`sum(runs)`.as("runs")])
    .select(lastActiveAt.as("last_active_at"))
    .groupBy("id")
    .orderBy(lastActiveAt, "desc")
    .orderBy("id", "desc")
    .limit(limit);
  if (search !== undefined) query = query.where(sql<boolean>`${positionIn(db)}(id, ${search}) > 0`);
  if (after !== undefined) query = query.having(sql<boolean>`(max(at), id) < (${after.atMs}, ${after.id})`);
  return (await query.execute()) as UserRow[];
}

/** The function that finds a text in another. */
function positionIn({ engine }: Database) {
  return sql.raw(engine === "sqlite" ? "instr" : "strpos");
}
