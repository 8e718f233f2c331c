import type { MemberAccess } from "#contract/endpoints/thread-members.ts";
import { limits } from "#contract/limits.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { isOneOf } from "#storage/database/portable-sql.ts";
import { sql, type Kysely } from "#storage/database/sql.ts";
import type { NewRow, Row, Tables } from "#storage/database/tables.ts";
import { contains } from "#server/lib/page.ts";

/** The SQL of who a thread is shared with. */

/** What a request names: a thread, or something that belongs to one. */
export type ThreadPart = Partial<Record<"thread_id" | "run_id" | "comparison_id" | "file_id", string>>;

export type SharedThread = { id: string; workspace_id: string; workspace_name: string; access: MemberAccess };

/**
 * The thread that `part` belongs to and that somebody else shares with this person, with the most that they may do in it;
 * `undefined` if there is none, also for a thread in the trash.
 */
export async function findSharedThread(
  q: Kysely<Tables>,
  { userId, workspaceId }: { userId: string; workspaceId: string },
  part: ThreadPart,
): Promise<SharedThread | undefined> {
  let query = q
    .selectFrom("thread_members")
    .innerJoin("threads", "threads.id", "thread_members.thread_id")
    .innerJoin("workspaces", "workspaces.id", "threads.workspace_id")
    .select(["threads.id", "threads.workspace_id", "workspaces.name as workspace_name", "access"])
    .where("threads.deleted_at", "is", null)
    .where("threads.workspace_id", "!=", workspaceId)
    .where(includes(userId))
    // `write` before `read`.
    .orderBy("access", "desc")
    .limit(1);
  if (part.thread_id !== undefined) query = query.where("threads.id", "=", part.thread_id);
  if (part.run_id !== undefined)
    query = query.where("threads.id", "=", (is) =>
      is.selectFrom("runs").select("thread_id").where("id", "=", part.run_id!),
    );
  if (part.comparison_id !== undefined)
    query = query.where("threads.id", "=", (is) =>
      is.selectFrom("comparisons").select("thread_id").where("id", "=", part.comparison_id!),
    );
  if (part.file_id !== undefined)
    query = query.where("threads.id", "in", (is) =>
      is.selectFrom("file_claims").select("thread_id").where("file_id", "=", part.file_id!),
    );
  return await query.executeTakeFirst();
}

/** Whether the row of `thread_members` names the person, or a group that they belong to. */
function includes(userId: string) {
  return sql<boolean>`(
    thread_members.user_id = ${userId}
    or thread_members.group_id in (select group_id from user_group_members where user_id = ${userId})
  )`;
}

/** A thread of somebody else, and a person with their own workspace. */
export type MemberPlace = { userId: string; workspaceId: string; threadId: string };

/** Which of these threads are shared with these people, in one query. Those in the trash are not. */
export async function findReadable(
  from: Pick<Tx, "engine" | "q">,
  places: readonly MemberPlace[],
): Promise<(place: MemberPlace) => boolean> {
  const userIds = [...new Set(places.map(({ userId }) => userId))];
  const threadIds = [...new Set(places.map(({ threadId }) => threadId))];
  const found = await from.q
    .selectFrom("thread_members")
    .innerJoin("threads", "threads.id", "thread_members.thread_id")
    .leftJoin("user_group_members", (join) =>
      join
        .onRef("user_group_members.group_id", "=", "thread_members.group_id")
        .on(isOneOf(from, "user_group_members.user_id", userIds)),
    )
    .select(["thread_id", "workspace_id"])
    .select(sql<string | null>`coalesce(thread_members.user_id, user_group_members.user_id)`.as("user_id"))
    .distinct()
    .where(isOneOf(from, "thread_id", threadIds))
    .where("threads.deleted_at", "is", null)
    .execute();
  const workspaces = new Map(found.map((row) => [`${row.thread_id} ${row.user_id}`, row.workspace_id]));
  return ({ userId, workspaceId, threadId }) => {
    const owners = workspaces.get(`${threadId} ${userId}`);
    return owners !== undefined && owners !== workspaceId;
  };
}

export type SharedWith = {
  thread_id: string;
  workspace_id: string;
  access: MemberAccess;
  /** The name of the person who shares it. */
  owner_name: string | null;
};

/** The newest threads that others share with this person, without the trash. */
export async function listSharedWith(
  db: Database,
  { userId, workspaceId }: { userId: string; workspaceId: string },
): Promise<SharedWith[]> {
  return await db.read
    .selectFrom("thread_members")
    .innerJoin("threads", "threads.id", "thread_members.thread_id")
    .innerJoin("workspaces", "workspaces.id", "threads.workspace_id")
    .leftJoin("users", "users.id", "workspaces.name")
    .select(["thread_members.thread_id", "threads.workspace_id"])
    .select(sql<MemberAccess>`max(thread_members.access)`.as("access"))
    .select(sql<string | null>`max(coalesce(users.name, users.email))`.as("owner_name"))
    .where("threads.deleted_at", "is", null)
    .where("threads.workspace_id", "!=", workspaceId)
    .where(includes(userId))
    .groupBy(["thread_members.thread_id", "threads.workspace_id", "threads.last_message_at"])
    .orderBy("threads.last_message_at", "desc")
    .orderBy("thread_members.thread_id", "desc")
    .limit(limits.sharedThreads)
    .execute();
}

/** The ids of the newest threads of this workspace that are shared, without the trash. */
export async function listSharedOf(db: Database, workspaceId: string): Promise<string[]> {
  const found = await db.read
    .selectFrom("threads")
    .select("id")
    .where("workspace_id", "=", workspaceId)
    .where("deleted_at", "is", null)
    .where((is) =>
      is.exists(is.selectFrom("thread_members").select("member_id").whereRef("thread_id", "=", "threads.id")),
    )
    .orderBy("last_message_at", "desc")
    .orderBy("id", "desc")
    .limit(limits.sharedThreads)
    .execute();
  return found.map(({ id }) => id);
}

/** Whether the thread is of another person of this server, who does not let this one write in it. */
export async function isOutsider(
  q: Kysely<Tables>,
  { userId, workspaceId, threadId }: { userId: string; workspaceId: string; threadId: string },
): Promise<boolean> {
  const workspace = await q
    .selectFrom("workspaces")
    .select("id")
    .where("id", "=", workspaceId)
    .where("realm", "=", "own")
    .where("name", "!=", userId)
    .executeTakeFirst();
  if (workspace === undefined) return false;
  const member = await q
    .selectFrom("thread_members")
    .select("member_id")
    .where("thread_id", "=", threadId)
    .where("access", "=", "write")
    .where(includes(userId))
    .executeTakeFirst();
  return member === undefined;
}

/** Whether the thread is shared with anyone. */
export async function isShared(q: Kysely<Tables>, threadId: string): Promise<boolean> {
  const row = await q
    .selectFrom("thread_members")
    .select("member_id")
    .where("thread_id", "=", threadId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export type MemberRow = Pick<Row<"thread_members">, "member_id" | "user_id" | "access"> & {
  name: string | null;
  picture_id: string | null;
};

/** Who the thread is shared with, by name. */
export async function listMembers(q: Kysely<Tables>, threadId: string): Promise<MemberRow[]> {
  return await q
    .selectFrom("thread_members")
    .leftJoin("users", "users.id", "thread_members.user_id")
    .leftJoin("user_groups", "user_groups.id", "thread_members.group_id")
    .leftJoin("profiles", "profiles.user_id", "users.id")
    .select(["member_id", "thread_members.user_id", "access", "picture_id"])
    .select(sql<string | null>`coalesce(users.name, users.email, user_groups.name)`.as("name"))
    .where("thread_id", "=", threadId)
    .orderBy(sql`lower(coalesce(users.name, users.email, user_groups.name, ''))`)
    .orderBy("member_id")
    .execute();
}

/** Somebody who reads a thread of another person. */
export type ReaderRow = {
  thread_id: string;
  /** The workspace of the thread. */
  owner_workspace_id: string;
  user_id: string;
  workspace_id: string;
  access: MemberAccess;
};

/** The threads that are shared with this group. */
export async function listThreadsOfGroup(tx: Tx, groupId: string): Promise<string[]> {
  const found = await tx.q
    .selectFrom("thread_members")
    .select("thread_id")
    .where("group_id", "=", groupId)
    .execute();
  return found.map(({ thread_id: id }) => id);
}

/** The members of these threads, or only this person, including those of groups, without suspended people. */
export async function listReaders(tx: Tx, threadIds: string[], userId?: string): Promise<ReaderRow[]> {
  if (threadIds.length === 0) return [];
  return await tx.q
    .selectFrom("thread_members")
    .innerJoin("threads", "threads.id", "thread_members.thread_id")
    .leftJoin("user_group_members", "user_group_members.group_id", "thread_members.group_id")
    .innerJoin("users", (join) =>
      join.on(sql<boolean>`users.id = coalesce(thread_members.user_id, user_group_members.user_id)`),
    )
    .select([
      "thread_members.thread_id",
      "threads.workspace_id as owner_workspace_id",
      "users.id as user_id",
      "users.workspace_id",
    ])
    .select(sql<MemberAccess>`max(thread_members.access)`.as("access"))
    .where(isOneOf(tx, "thread_members.thread_id", threadIds))
    .where("users.disabled_at", "is", null)
    .whereRef("users.workspace_id", "!=", "threads.workspace_id")
    .$if(userId !== undefined, (query) => query.where("users.id", "=", userId!))
    .groupBy(["thread_members.thread_id", "threads.workspace_id", "users.id", "users.workspace_id"])
    .execute();
}

/** The name that others see of somebody. */
export async function findName(q: Kysely<Tables>, userId: string): Promise<string | null> {
  const row = await q
    .selectFrom("users")
    .select(["name", "email"])
    .where("id", "=", userId)
    .executeTakeFirst();
  return row?.name ?? row?.email ?? null;
}

/** Stores the member, or changes what they may do. */
export async function putMember(tx: Tx, row: NewRow<"thread_members">): Promise<void> {
  await tx.q
    .insertInto("thread_members")
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(["thread_id", "member_id"]).doUpdateSet({ access: row.access }),
    )
    .execute();
}

export async function deleteMember(tx: Tx, threadId: string, memberId: string): Promise<boolean> {
  const { numDeletedRows } = await tx.q
    .deleteFrom("thread_members")
    .where("thread_id", "=", threadId)
    .where("member_id", "=", memberId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Somebody who looks for people and groups. `findsAllGroups`: not only their own. */
export type Seeker = { userId: string; findsAllGroups: boolean };

/** People with an account, other than the seeker, who are not suspended. */
function peopleFor(q: Kysely<Tables>, { userId }: Seeker) {
  return q
    .selectFrom("users")
    .select(["id", "name", "email"])
    .where("joined_at", "is not", null)
    .where("disabled_at", "is", null)
    .where("merged_into", "is", null)
    .where("id", "!=", userId);
}

function groupsFor(q: Kysely<Tables>, { userId, findsAllGroups }: Seeker) {
  const query = q.selectFrom("user_groups").select(["id", "name"]);
  if (findsAllGroups) return query;
  return query.where("id", "in", (is) =>
    is.selectFrom("user_group_members").select("group_id").where("user_id", "=", userId),
  );
}

/** The first people and groups that match. */
export async function findCandidates(q: Kysely<Tables>, seeker: Seeker, search: string) {
  const people = await peopleFor(q, seeker)
    .where((is) => is.or([contains("name", search), contains("email_key", search)]))
    .orderBy(sql`lower(coalesce(name, email_key, ''))`)
    .orderBy("id")
    .limit(limits.memberCandidates)
    .execute();
  const groups = await groupsFor(q, seeker)
    .where(contains("name_key", search))
    .orderBy("name_key")
    .limit(limits.memberCandidates)
    .execute();
  return { people, groups };
}

/** The person or the group with this id, if the seeker may share with it. */
export async function findCandidate(
  q: Kysely<Tables>,
  seeker: Seeker,
  id: string,
): Promise<{ user_id: string | null; group_id: string | null } | undefined> {
  const person = await peopleFor(q, seeker).where("id", "=", id).executeTakeFirst();
  if (person !== undefined) return { user_id: id, group_id: null };
  const group = await groupsFor(q, seeker).where("id", "=", id).executeTakeFirst();
  return group && { user_id: null, group_id: id };
}
