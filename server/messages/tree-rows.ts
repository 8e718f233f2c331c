import { unpackRow } from "#storage/lib/packed-content.ts";
import { sql, type Kysely } from "#storage/database/sql.ts";
import type { Tables } from "#storage/database/tables.ts";
import type { MessageRow } from "./rows.ts";

const contentLength = sql<number>`length(messages.content) + length(messages.plain_text)`;

/** The messages of a branch or thread in order: their ids and about the length of their content. */
export type Outline = { id: string; characters: number }[];

/** The SQL for a thread's tree: ancestors of a message, the end of a branch, siblings. */

/** How far up a query of ancestors goes: at most `limit` messages, and up to the first of `stopAt` above the start. */
export type AncestorRange = { limit?: number | undefined; stopAt?: readonly string[] };

/** The message `id` and its ancestors, lowest first. */
export async function listAncestors(
  q: Kysely<Tables>,
  threadId: string,
  id: string,
  range: AncestorRange = {},
): Promise<MessageRow[]> {
  const rows = await ancestors(q, threadId, id, range)
    .selectFrom("up")
    .innerJoin("messages", "messages.id", "up.id")
    .selectAll("messages")
    .orderBy("messages.height", "desc")
    .execute();
  return rows.map(unpackRow);
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

function ancestors(q: Kysely<Tables>, threadId: string, id: string, { limit, stopAt = [] }: AncestorRange) {
  return q.withRecursive("up", (with_) =>
    with_
      .selectFrom("messages")
      .select(["id", "parent_id", (is) => is.lit(1).as("steps")])
      .where("id", "=", id)
      .where("thread_id", "=", threadId)
      .unionAll(
        with_
          .selectFrom("up")
          .innerJoin("messages", "messages.id", "up.parent_id")
          .select(["messages.id", "messages.parent_id", (is) => is("up.steps", "+", is.lit(1)).as("steps")])
          .$if(limit !== undefined, (query) => query.where("up.steps", "<", limit!))
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

/**
 * How many messages `listAncestors` may read from `id` without exceeding `charactersMax` of content (`fitting`, at least
 * one), and how many there are in the range (`steps`).
 */
export async function measureAncestors(
  q: Kysely<Tables>,
  threadId: string,
  id: string,
  range: AncestorRange,
  charactersMax: number,
): Promise<{ fitting: number; steps: number }> {
  const sizes = await ancestors(q, threadId, id, range)
    .selectFrom("up")
    .innerJoin("messages", "messages.id", "up.id")
    .select(contentLength.as("characters"))
    .orderBy("messages.height", "desc")
    .execute();
  let fitting = 0;
  let characters = 0;
  for (const size of sizes) {
    characters += size.characters;
    if (characters > charactersMax && fitting > 0) break;
    fitting += 1;
  }
  return { fitting, steps: sizes.length };
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

/** A message's id and what changes whenever its content does. */
export type MessageVersion = { id: string; updated_at: number; characters: number };

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
    .select(["messages.id", "messages.updated_at", contentLength.as("characters")])
    .orderBy("messages.height", "desc")
    .execute();
}

/** The deepest, then newest message below `id`; `id` itself if it has no children. */
export async function findLeafBelow(
  q: Kysely<Tables>,
  threadId: string,
  id: string,
): Promise<string | undefined> {
  const row = await q
    .withRecursive("down", (with_) =>
      with_
        .selectFrom("messages")
        .select(["thread_id", "id", "height", "created_at"])
        .where("id", "=", id)
        .where("thread_id", "=", threadId)
        .unionAll(
          with_
            .selectFrom("down")
            // A cross join with conditions on both columns: otherwise both engines read the whole thread per level.
            .crossJoin("messages")
            .whereRef("messages.thread_id", "=", "down.thread_id")
            .whereRef("messages.parent_id", "=", "down.id")
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
