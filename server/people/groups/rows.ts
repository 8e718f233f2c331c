import type { Database, Tx } from "#storage/database/database.ts";
import { forUpdate, idsOf } from "#storage/database/portable-sql.ts";
import { sql, type Kysely } from "#storage/database/sql.ts";
import type { NewRow, Row, RowChange, Tables } from "#storage/database/tables.ts";
import { contains } from "#server/lib/page.ts";

/** The SQL of groups and who belongs to them. */

export type GroupRow = Row<"user_groups"> & { people: number | string };

/** A page of the groups whose name contains `search`, after the group `after`, by name. */
export async function listGroups(
  q: Kysely<Tables>,
  { search, after, limit }: { search: string; after: Row<"user_groups"> | undefined; limit: number },
): Promise<GroupRow[]> {
  let query = withPeople(q).orderBy("name_key").limit(limit);
  if (search !== "") query = query.where(contains("name_key", search));
  if (after !== undefined) query = query.where("name_key", ">", after.name_key);
  return await query.execute();
}

export async function findGroup(q: Kysely<Tables>, id: string): Promise<GroupRow | undefined> {
  return await withPeople(q).where("id", "=", id).executeTakeFirst();
}

function withPeople(q: Kysely<Tables>) {
  return q
    .selectFrom("user_groups")
    .selectAll()
    .select(
      sql<number | string>`(
        select count(*) from user_group_members where user_group_members.group_id = user_groups.id
      )`.as("people"),
    );
}

export async function findGroupNamed(tx: Tx, nameKey: string): Promise<Row<"user_groups"> | undefined> {
  return await tx.q.selectFrom("user_groups").selectAll().where("name_key", "=", nameKey).executeTakeFirst();
}

/** The group, locked until the transaction ends. */
export async function lockGroup(tx: Tx, id: string): Promise<GroupRow | undefined> {
  await forUpdate(tx, tx.q.selectFrom("user_groups").select("id").where("id", "=", id)).execute();
  // A second query: on PostgreSQL, the one that waited for the lock has the former values.
  return await findGroup(tx.q, id);
}

export async function countGroups(tx: Tx): Promise<number> {
  const { count } = await tx.q
    .selectFrom("user_groups")
    .select(sql<number | string>`count(*)`.as("count"))
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function insertGroup(tx: Tx, group: NewRow<"user_groups">): Promise<void> {
  await tx.q.insertInto("user_groups").values(group).execute();
}

export async function updateGroup(tx: Tx, id: string, change: RowChange<"user_groups">): Promise<void> {
  await tx.q.updateTable("user_groups").set(change).where("id", "=", id).execute();
}

export async function deleteGroup(tx: Tx, id: string): Promise<void> {
  await tx.q.deleteFrom("user_groups").where("id", "=", id).execute();
}

/** The groups whose members the claim of this provider decides. */
export async function listGroupsOfProvider(
  q: Kysely<Tables>,
  providerId: string,
): Promise<{ id: string; claim_value: string | null }[]> {
  return await q
    .selectFrom("user_groups")
    .select(["id", "claim_value"])
    .where("claim_provider_id", "=", providerId)
    .execute();
}

export type MemberRow = Pick<Row<"users">, "id" | "name" | "email">;

/** How members are ordered: by name, those without one by address. */
const sortKey = sql<string>`lower(coalesce(users.name, users.email_key, ''))`;

/** A page of the members of a group whose name or address contains `search`, after the member `after`. */
export async function listMembers(
  q: Kysely<Tables>,
  groupId: string,
  { search, after, limit }: { search: string; after: MemberRow | undefined; limit: number },
): Promise<MemberRow[]> {
  let query = selectMembers(q, groupId).orderBy(sortKey).orderBy("users.id").limit(limit);
  if (search !== "")
    query = query.where((is) =>
      is.or(["users.name", "users.email_key"].map((column) => contains(column, search))),
    );
  if (after !== undefined)
    query = query.where(
      sql<boolean>`(${sortKey}, users.id) > (
        select lower(coalesce(name, email_key, '')), id from users where id = ${after.id}
      )`,
    );
  return await query.execute();
}

/** The names of each person's groups, at most ten of each, by name. */
export async function namesOfGroups(
  db: Database,
  userIds: readonly string[],
): Promise<Map<string, string[]>> {
  const place = sql<number>`row_number() over (partition by user_id order by name_key)`;
  const found = await db.read
    .selectFrom((from) =>
      from
        .selectFrom("user_group_members")
        .innerJoin("user_groups", "user_groups.id", "user_group_members.group_id")
        .where("user_id", "in", idsOf(db, userIds))
        .select(["user_id", "user_groups.name", place.as("place")])
        .as("named"),
    )
    .where("place", "<=", 10)
    .select(["user_id", "name"])
    .orderBy("user_id")
    .orderBy("place")
    .execute();
  return new Map(
    [...Map.groupBy(found, (row) => row.user_id)].map(([id, of]) => [id, of.map(({ name }) => name)]),
  );
}

export async function findMember(
  q: Kysely<Tables>,
  groupId: string,
  userId: string,
): Promise<MemberRow | undefined> {
  return await selectMembers(q, groupId).where("user_id", "=", userId).executeTakeFirst();
}

function selectMembers(q: Kysely<Tables>, groupId: string) {
  return q
    .selectFrom("user_group_members")
    .innerJoin("users", "users.id", "user_group_members.user_id")
    .select(["users.id", "users.name", "users.email"])
    .where("group_id", "=", groupId);
}

/** Whether the person was not a member before. */
export async function insertMember(tx: Tx, groupId: string, userId: string, nowMs: number): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx.q
    .insertInto("user_group_members")
    .values({ group_id: groupId, user_id: userId, added_at: nowMs })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/** Another user belongs to the groups from now on. */
export async function moveMemberships(tx: Tx, fromId: string, toId: string): Promise<void> {
  const found = await tx.q
    .deleteFrom("user_group_members")
    .where("user_id", "=", fromId)
    .returning(["group_id", "added_at"])
    .execute();
  for (const { group_id: groupId, added_at: addedAt } of found)
    await insertMember(tx, groupId, toId, addedAt);
}

/** How many of the groups the person belonged to. */
export async function deleteMember(tx: Tx, groupIds: readonly string[], userId: string): Promise<number> {
  const { numDeletedRows } = await tx.q
    .deleteFrom("user_group_members")
    .where("user_id", "=", userId)
    .where("group_id", "in", idsOf(tx, groupIds))
    .executeTakeFirst();
  return Number(numDeletedRows);
}

export async function deleteMembersOf(tx: Tx, groupId: string): Promise<void> {
  await tx.q.deleteFrom("user_group_members").where("group_id", "=", groupId).execute();
}

/** Deletes the members of all groups whose members the claim of this provider decides. */
export async function deleteMembersByProvider(tx: Tx, providerId: string): Promise<void> {
  const groupIds = tx.q.selectFrom("user_groups").select("id").where("claim_provider_id", "=", providerId);
  await tx.q.deleteFrom("user_group_members").where("group_id", "in", groupIds).execute();
}
