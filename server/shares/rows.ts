import type { Tx } from "#storage/database/database.ts";
import type { Kysely } from "#storage/database/sql.ts";
import type { Row, Tables } from "#storage/database/tables.ts";
import { ownedRows } from "#server/people/owned-rows.ts";

/** The SQL of links to threads. */

export type ShareRow = Row<"shares">;
export type ListedShare = ShareRow & { title: string | null };

/** A link that works, with its thread. */
export type OpenShare = ListedShare & { app_id: string; workspace_id: string };

function selectShares(q: Kysely<Tables>) {
  return q
    .selectFrom("shares")
    .innerJoin("threads", "threads.id", "shares.thread_id")
    .innerJoin("users", "users.id", "shares.user_id")
    .selectAll("shares")
    .select(["threads.title", "threads.app_id", "threads.workspace_id"])
    .where("threads.deleted_at", "is", null)
    .whereRef("threads.workspace_id", "=", "users.workspace_id");
}

/** The link, unless it has expired, its thread is in the trash, or its person is suspended or leaving. */
export async function findOpen(
  q: Kysely<Tables>,
  tokenHash: string,
  nowMs: number,
): Promise<OpenShare | undefined> {
  return await selectShares(q)
    .where("shares.token_hash", "=", tokenHash)
    .where("users.disabled_at", "is", null)
    .where("users.deletion_due_at", "is", null)
    .where((is) => is.or([is("shares.expires_at", "is", null), is("shares.expires_at", ">", nowMs)]))
    .executeTakeFirst();
}

/** The links of a user, newest first, without those of threads in the trash. */
export async function listShares(
  q: Kysely<Tables>,
  userId: string,
  { id, threadId }: { id?: string; threadId?: string | undefined },
): Promise<ListedShare[]> {
  return await selectShares(q)
    .where("shares.user_id", "=", userId)
    .$if(id !== undefined, (query) => query.where("shares.id", "=", id!))
    .$if(threadId !== undefined, (query) => query.where("shares.thread_id", "=", threadId!))
    .orderBy("shares.created_at", "desc")
    .orderBy("shares.id", "desc")
    .execute();
}

export const ownedShares = ownedRows("shares", "user_id");

export async function countView(tx: Tx, id: string): Promise<void> {
  await tx.q
    .updateTable("shares")
    .set((is) => ({ views: is("views", "+", 1) }))
    .where("id", "=", id)
    .execute();
}
