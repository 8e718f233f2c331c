import { sql, type Kysely } from "#storage/database/sql.ts";
import type { Tables } from "#storage/database/tables.ts";
import type { MessageRow } from "./rows.ts";

/** The messages of a branch or thread by id, in order, with the length of their text. */
export type Outline = { id: string; characters: number }[];

/** The SQL of ways through a thread's tree: up from a message, down to the end of a branch, and what hangs beside. */

/** From `id` up towards the root, lowest first: `limit` messages at the most, or all of them. */
export async function walkUp(
  q: Kysely<Tables>,
  threadId: string,
  id: string,
  limit?: number,
): Promise<MessageRow[]> {
  return await up(q, threadId, id, limit)
    .selectFrom("up")
    .innerJoin("messages", "messages.id", "up.id")
    .selectAll("messages")
    .orderBy("messages.height", "desc")
    .execute();
}

/** The parent of a message; `undefined` where the message is not there. */
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

function up(q: Kysely<Tables>, threadId: string, id: string, limit: number | undefined) {
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
          .$if(limit !== undefined, (query) => query.where("up.steps", "<", limit!)),
      ),
  );
}

/** Whether `id` is `below` itself or a message above it. */
export async function isAbove(
  q: Kysely<Tables>,
  threadId: string,
  id: string,
  below: string,
): Promise<boolean> {
  const found = await up(q, threadId, below, undefined)
    .selectFrom("up")
    .select("up.id")
    .where("up.id", "=", id)
    .executeTakeFirst();
  return found !== undefined;
}

/**
 * How far `walkUp` may go from `id` without reading more than `charactersMax` of content, one message at the least, and
 * how many steps there are up to `limit`.
 */
export async function measureUp(
  q: Kysely<Tables>,
  threadId: string,
  id: string,
  limit: number | undefined,
  charactersMax: number,
): Promise<{ fitting: number; steps: number }> {
  const sizes = await up(q, threadId, id, limit)
    .selectFrom("up")
    .innerJoin("messages", "messages.id", "up.id")
    .select(sql<number>`length(messages.content)`.as("characters"))
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

/** Every message of a thread and how much it says, a parent before its children. */
export async function outlineOf(q: Kysely<Tables>, threadId: string): Promise<Outline> {
  return await q
    .selectFrom("messages")
    .select(["id", sql<number>`length(content)`.as("characters")])
    .where("thread_id", "=", threadId)
    .orderBy("height")
    .orderBy("created_at")
    .orderBy("id")
    .execute();
}

/** The same of the branch that ends in `id`, lowest first. */
export async function outlineUp(q: Kysely<Tables>, threadId: string, id: string): Promise<Outline> {
  return await up(q, threadId, id, undefined)
    .selectFrom("up")
    .innerJoin("messages", "messages.id", "up.id")
    .select(["messages.id", sql<number>`length(messages.content)`.as("characters")])
    .orderBy("messages.height", "desc")
    .execute();
}

/** The deepest, then newest message below `id`, or `id` itself where nothing hangs below it. */
export async function leafBelow(
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
            // Crossed, and on both columns: else both engines read the whole thread for every level.
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

/** The deepest, then newest message of the whole thread: what protocol clients show. */
export async function deepestLeaf(q: Kysely<Tables>, threadId: string): Promise<string | undefined> {
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
export async function childrenOf(
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
