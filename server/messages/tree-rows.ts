import { limits } from "#contract/limits.ts";
import { unpackRow } from "#storage/lib/packed-content.ts";
import { sql, type Kysely, type SqlBool } from "#storage/database/sql.ts";
import type { Tables } from "#storage/database/tables.ts";
import type { MessageRow } from "./rows.ts";

const contentLength = sql<number>`length(messages.content) + length(messages.plain_text)`;

/** The messages of a branch or thread in order: their ids and about the length of their content. */
export type Outline = { id: string; characters: number }[];

/** The SQL for a thread's tree: ancestors of a message, the end of a branch, siblings. */

/** How many ancestors a query returns: at most `limit` messages, and up to the first of `stopAt` above the start. */
export type AncestorRange = { limit?: number | undefined; stopAt?: readonly string[] };

/** What models read of a message. */
export type HistoryRow = Pick<MessageRow, (typeof historyColumns)[number]>;
const historyColumns = [
  "id",
  "parent_id",
  "height",
  "role",
  "format",
  "content",
  "plain_text",
  "is_pinned",
  "run_id",
] as const;

type BoundedRange = AncestorRange & { charactersMax: number };

/**
 * The message `id` and its ancestors, lowest first: at least one, and others while their content has at most
 * `charactersMax` in all. `hasMore`: whether the branch has more above them, but not those above one of `stopAt`.
 */
export async function listAncestors(
  q: Kysely<Tables>,
  threadId: string,
  id: string,
  range: BoundedRange,
): Promise<{ rows: MessageRow[]; hasMore: boolean }> {
  const found = await boundedAncestors(q, threadId, id, range).selectAll("messages").execute();
  return finishList(found, id, range);
}

/** Like `listAncestors`, for branches of thousands of messages. */
export async function listHistory(
  q: Kysely<Tables>,
  threadId: string,
  id: string,
  range: BoundedRange,
): Promise<{ rows: HistoryRow[]; hasMore: boolean }> {
  const columns = historyColumns.map((column) => `messages.${column}` as const);
  const found = await boundedAncestors(q, threadId, id, range).select(columns).execute();
  return finishList(found, id, range);
}

/** A message without its content. */
export type BranchEntry = Pick<MessageRow, (typeof entryColumns)[number]> & {
  /** About the length of its content. */
  characters: number;
  /** The beginning of its text. */
  opening: string;
};
const entryColumns = [
  "id",
  "parent_id",
  "height",
  "role",
  "status",
  "run_id",
  "made_by",
  "updated_at",
] as const;
const openingCharacters = 500;

/** Like `listAncestors`, without the content. */
export async function listEntries(
  q: Kysely<Tables>,
  threadId: string,
  id: string,
  range: BoundedRange,
): Promise<{ rows: BranchEntry[]; hasMore: boolean }> {
  const found = await boundedAncestors(q, threadId, id, range)
    .select(entryColumns.map((column) => `messages.${column}` as const))
    .select([
      contentLength.as("characters"),
      sql<string>`substr(messages.plain_text, 1, ${sql.lit(openingCharacters)})`.as("opening"),
    ])
    .execute();
  return inOrder(found, id, range);
}

function boundedAncestors(q: Kysely<Tables>, threadId: string, id: string, range: BoundedRange) {
  return ancestors(q, threadId, id, range)
    .selectFrom("up")
    .innerJoin("messages", "messages.id", "up.id")
    .where((is) => is.or([is("up.characters", "<=", range.charactersMax), is("up.steps", "=", 1)]));
}

function finishList<Found extends HistoryRow>(found: Found[], id: string, range: BoundedRange) {
  return inOrder(found.map(unpackRow), id, range);
}

function inOrder<Found extends Pick<MessageRow, "id" | "parent_id" | "height">>(
  found: Found[],
  id: string,
  { stopAt }: BoundedRange,
) {
  // Here, because a database copies the texts to sort them.
  const rows = found.toSorted((a, b) => b.height - a.height);
  const top = rows.at(-1);
  const isStopped = top !== undefined && top.id !== id && stopAt?.includes(top.id) === true;
  return { rows, hasMore: top !== undefined && top.parent_id !== null && !isStopped };
}

/**
 * The pinned messages of the branch that ends in `id` that models read in full, from the top down. Imports may have more than
 * a person can pin: what exceeds the limits counts as not pinned. Whether a message does depends only on those above it, so
 * that a summary stays right while the branch grows.
 */
export async function listPinned(q: Kysely<Tables>, threadId: string, id: string): Promise<string[]> {
  if ((await sumPinned(q, threadId)).count === 0) return [];
  const pinned = await ancestors(q, threadId, id, {})
    .selectFrom("up")
    .innerJoin("messages", "messages.id", "up.id")
    .select(["messages.id", sql<number>`length(messages.plain_text)`.as("characters")])
    .where("messages.is_pinned", "=", 1)
    .orderBy("messages.height")
    .execute();
  const ids: string[] = [];
  let characters = 0;
  for (const message of pinned) {
    if (ids.length === limits.pinnedMessagesMax) break;
    if (characters + message.characters > limits.pinnedCharactersMax) continue;
    characters += message.characters;
    ids.push(message.id);
  }
  return ids;
}

/** How many messages of the thread are pinned, and the characters of their text. */
export async function sumPinned(
  q: Kysely<Tables>,
  threadId: string,
): Promise<{ count: number; characters: number }> {
  return await q
    .selectFrom("messages")
    .select((row) => [
      row.fn.countAll<number>().as("count"),
      sql<number>`coalesce(sum(length(plain_text)), 0)`.as("characters"),
    ])
    .where("thread_id", "=", threadId)
    .where("is_pinned", "=", 1)
    .executeTakeFirstOrThrow();
}

/** The id of a message's parent; `undefined` if the message does not exist. */
export async function findParent(
  q: Kysely<Tables>,
  threadId: string,
  id: string,
): Promise<string | null | undefined> {
  const row = await q
    .selectFrom("messages")
    .select("parent_id")
    .where("id", "=", id)
    .where("thread_id", "=", threadId)
    .executeTakeFirst();
  return row?.parent_id;
}

/**
 * `charactersMax`: the walk ends at the message with which the content exceeds that; `characters` is its length so far. It
 * also ends where a parent is not higher, so that it is short in a damaged thread whose messages are their own ancestors.
 */
function ancestors(
  q: Kysely<Tables>,
  threadId: string,
  id: string,
  { limit, stopAt = [], charactersMax }: AncestorRange & { charactersMax?: number },
) {
  const length = charactersMax === undefined ? sql<number>`0` : contentLength;
  return q.withRecursive("up", (with_) =>
    with_
      .selectFrom("messages")
      .select(["id", "parent_id", "height", (is) => is.lit(1).as("steps"), length.as("characters")])
      .where("id", "=", id)
      .where("thread_id", "=", threadId)
      .unionAll(
        with_
          .selectFrom("up")
          .innerJoin("messages", "messages.id", "up.parent_id")
          .whereRef("messages.height", "<", "up.height")
          .select([
            "messages.id",
            "messages.parent_id",
            "messages.height",
            (is) => is("up.steps", "+", is.lit(1)).as("steps"),
            (is) => is("up.characters", "+", length).as("characters"),
          ])
          .$if(limit !== undefined, (query) => query.where("up.steps", "<", limit!))
          .$if(charactersMax !== undefined, (query) => query.where("up.characters", "<=", charactersMax!))
          .$if(stopAt.length > 0, (query) =>
            query.where((is) => is.or([is("up.id", "not in", [...stopAt]), is("up.id", "=", id)])),
          ),
      ),
  );
}

/** Whether `id` is the message `below` or one of its ancestors. */
export async function isAncestorOrSelf(
  q: Kysely<Tables>,
  threadId: string,
  id: string,
  below: string,
): Promise<boolean> {
  const found = await ancestors(q, threadId, below, {})
    .selectFrom("up")
    .select("up.id")
    .where("up.id", "=", id)
    .executeTakeFirst();
  return found !== undefined;
}

/** The lowest of `ids` that is the message `below` or one of its ancestors. */
export async function findNearest(
  q: Kysely<Tables>,
  threadId: string,
  ids: readonly string[],
  below: string,
): Promise<string | undefined> {
  if (ids.length === 0) return undefined;
  const found = await ancestors(q, threadId, below, {})
    .selectFrom("up")
    .select("up.id")
    .where("up.id", "in", [...ids])
    .orderBy("up.steps")
    .limit(1)
    .executeTakeFirst();
  return found?.id;
}

/** The highest messages that reference a file, of the branch that ends in `below`: at most `limit`. */
export async function listReferencing(
  q: Kysely<Tables>,
  threadId: string,
  { fileId, below, limit }: { fileId: string; below: string; limit: number },
): Promise<string[]> {
  const found = await ancestors(q, threadId, below, {})
    .selectFrom("up")
    .innerJoin("file_claims", "file_claims.message_id", "up.id")
    .select("up.id")
    .where("file_claims.file_id", "=", fileId)
    .orderBy("up.steps", "desc")
    .limit(limit)
    .execute();
  return found.map((row) => row.id);
}

/** The outline of a whole thread, parents before their children. */
export async function outlineThread(q: Kysely<Tables>, threadId: string): Promise<Outline> {
  return await q
    .selectFrom("messages")
    .select(["id", contentLength.as("characters")])
    .where("thread_id", "=", threadId)
    .orderBy("height")
    .orderBy("created_at")
    .orderBy("id")
    .execute();
}

/** The outline of the branch that ends in `id`, lowest first. */
export async function outlineAncestors(q: Kysely<Tables>, threadId: string, id: string): Promise<Outline> {
  return await ancestors(q, threadId, id, {})
    .selectFrom("up")
    .innerJoin("messages", "messages.id", "up.id")
    .select(["messages.id", contentLength.as("characters")])
    .orderBy("messages.height", "desc")
    .execute();
}

/** A message's id and what changes whenever its content or its pin does. */
export type MessageVersion = { id: string; updated_at: number; characters: number; is_pinned: number };

/** The versions of the message `id` and its ancestors, lowest first. */
export async function listVersions(
  q: Kysely<Tables>,
  threadId: string,
  id: string,
  range: AncestorRange,
): Promise<MessageVersion[]> {
  return await ancestors(q, threadId, id, range)
    .selectFrom("up")
    .innerJoin("messages", "messages.id", "up.id")
    .select(["messages.id", "messages.updated_at", "messages.is_pinned", contentLength.as("characters")])
    .orderBy("messages.height", "desc")
    .execute();
}

/**
 * The deepest, then newest message below `id`; `id` itself if it has no children. `condition`: what all messages on the way
 * meet, in SQL over `messages`; `undefined` is returned if `id` itself does not.
 */
export async function findLeafBelow(
  q: Kysely<Tables>,
  threadId: string,
  id: string,
  condition = sql<SqlBool>`true`,
): Promise<string | undefined> {
  const row = await q
    .withRecursive("down", (with_) =>
      with_
        .selectFrom("messages")
        .select(["thread_id", "id", "height", "created_at"])
        .where("id", "=", id)
        .where("thread_id", "=", threadId)
        .where(condition)
        .unionAll(
          with_
            .selectFrom("down")
            // A cross join with conditions on both columns: otherwise both engines read the whole thread per level.
            .crossJoin("messages")
            .whereRef("messages.thread_id", "=", "down.thread_id")
            .whereRef("messages.parent_id", "=", "down.id")
            // As in `ancestors`.
            .whereRef("messages.height", ">", "down.height")
            .where(condition)
            .select(["messages.thread_id", "messages.id", "messages.height", "messages.created_at"]),
        ),
    )
    .selectFrom("down")
    .select("id")
    .orderBy("height", "desc")
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.id;
}

/** The deepest, then newest message of the whole thread, which protocol clients show. */
export async function findDeepestLeaf(q: Kysely<Tables>, threadId: string): Promise<string | undefined> {
  const row = await q
    .selectFrom("messages")
    .select("id")
    .where("thread_id", "=", threadId)
    .orderBy("height", "desc")
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.id;
}

type Child = { id: string; parent_id: string | null };

/** The children of each of `parentIds` (null: the roots), oldest first. */
export async function listChildren(
  q: Kysely<Tables>,
  threadId: string,
  parentIds: (string | null)[],
): Promise<Child[]> {
  const named = parentIds.filter((id) => id !== null);
  return await q
    .selectFrom("messages")
    .select(["id", "parent_id"])
    .where("thread_id", "=", threadId)
    .where((is) =>
      is.or([
        ...(named.length === 0 ? [] : [is("parent_id", "in", named)]),
        ...(named.length === parentIds.length ? [] : [is("parent_id", "is", null)]),
      ]),
    )
    .orderBy("created_at")
    .orderBy("id")
    .execute();
}
