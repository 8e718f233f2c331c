import type { Database, Tx } from "#storage/database/database.ts";
import { forUpdate } from "#storage/database/portable-sql.ts";
import { sql } from "#storage/database/sql.ts";
import type { Row } from "#storage/database/tables.ts";
import { contains, type Position } from "#server/lib/page.ts";

/** The SQL of the lists of people. */

export type PersonRow = Row<"users"> & {
  storage_bytes: number | string;
  second_factor_of: string | null;
  proxy_email: string | null;
};

/** A page of people with an account after `after`, the last who joined first. */
export async function listPeople(
  db: Database,
  {
    search,
    groupId,
    after,
    limit,
  }: {
    search: string;
    groupId: string | undefined;
    after: { joinedAt: number; id: string } | undefined;
    limit: number;
  },
): Promise<PersonRow[]> {
  let query = db.read
    .selectFrom("users")
    .leftJoin("second_factors", "second_factors.user_id", "users.id")
    .leftJoin("proxy_identities", "proxy_identities.user_id", "users.id")
    .selectAll("users")
    .select(["second_factors.user_id as second_factor_of", "proxy_identities.subject as proxy_email"])
    .select(
      sql<number | string>`(
        select coalesce(sum(size_bytes), 0) from files where files.workspace_id = users.workspace_id
      ) + (
        select coalesce(sum(text_bytes), 0) from threads where threads.workspace_id = users.workspace_id
      )`.as("storage_bytes"),
    )
    .where("joined_at", "is not", null)
    .orderBy("joined_at", "desc")
    .orderBy("id", "desc")
    .limit(limit);
  if (after !== undefined)
    query = query.where(sql<boolean>`(joined_at, id) < (${after.joinedAt}, ${after.id})`);
  if (search !== "")
    query = query.where((is) => is.or(["name", "email_key"].map((column) => contains(column, search))));
  if (groupId !== undefined)
    query = query.where("users.id", "in", (members) =>
      members.selectFrom("user_group_members").select("user_id").where("group_id", "=", groupId),
    );
  return await query.execute();
}

/** The owners who are not suspended, locked until the transaction ends. */
export async function lockActiveOwners(tx: Tx): Promise<string[]> {
  const owners = tx.q.selectFrom("users").select("id").where("is_owner", "=", 1).orderBy("id");
  await forUpdate(tx, owners).execute();
  // A second query: on PostgreSQL, the one that waited for the lock has the former values.
  const found = await owners.where("disabled_at", "is", null).where("deletion_due_at", "is", null).execute();
  return found.map(({ id }) => id);
}

/** A page of the requests before the last one of another page, the newest first. */
export async function listJoinRequests(
  db: Database,
  { after, limit }: { after: Position | undefined; limit: number },
): Promise<(Pick<Row<"users">, "id" | "name" | "email"> & { created_at: number })[]> {
  let query = db.read
    .selectFrom("join_requests")
    .innerJoin("users", "users.id", "join_requests.user_id")
    .select(["users.id", "users.name", "users.email", "join_requests.created_at"])
    .orderBy("join_requests.created_at", "desc")
    .orderBy("users.id", "desc")
    .limit(limit);
  if (after !== undefined)
    query = query.where(sql<boolean>`(join_requests.created_at, users.id) < (${after.atMs}, ${after.id})`);
  return await query.execute();
}
