import type { SharedMessage } from "#contract/parts/share-page.ts";
import { sql, type Kysely, type RawBuilder, type SqlBool } from "#storage/database/sql.ts";
import type { Database } from "#storage/database/database.ts";
import { idsOf } from "#storage/database/portable-sql.ts";
import type { Row, Tables } from "#storage/database/tables.ts";
import { findLeafBelow } from "../messages/tree-rows.ts";
import { findVisibleHead } from "../messages/visible-head.ts";
import type { OpenShare } from "./rows.ts";

/** The SQL of the branches that a link shares. */

type Q = Kysely<Tables>;

/**
 * Whether a snapshot of all branches has this row of `messages`: it was there, and its answer was finished, when the link
 * was created. An answer that was continued afterwards says more than the person has shared.
 */
function isIn({ head_id: headId, created_at: createdAt }: OpenShare): RawBuilder<SqlBool> {
  if (headId === null) return sql`messages.role in ('user', 'assistant')`;
  return sql`messages.role in ('user', 'assistant') and messages.created_at <= ${createdAt} and not exists (
    select 1 from runs where runs.reply_id = messages.id and (runs.ended_at is null or runs.ended_at > ${createdAt})
  ) and not exists (
    select 1 from client_leases lease
    where lease.message_id = messages.id and (lease.ended_at is null or lease.ended_at > ${createdAt})
  )`;
}

/**
 * The last message of the branch that a reader sees: of the branch through `at`, if the link shares it, or else of the
 * branch that its person shared. `undefined` in a thread without messages.
 */
export async function findSharedHead(
  q: Q,
  share: OpenShare,
  at: string | undefined,
): Promise<string | undefined> {
  const chosen =
    at === undefined || share.all_branches === 0
      ? undefined
      : await findLeafBelow(q, share.thread_id, at, isIn(share));
  return chosen ?? share.head_id ?? (await findVisibleHead(q, share.thread_id, share.user_id));
}

/** Where a message is among its siblings, by its id; only those that have siblings which the link shares. */
export async function findSiblings(
  q: Q,
  share: OpenShare,
  page: readonly { id: string; parent_id: string | null }[],
): Promise<Map<string, NonNullable<SharedMessage["branches"]>>> {
  if (share.all_branches === 0 || page.length === 0) return new Map();
  const parentIds = page.flatMap(({ parent_id: id }) => id ?? []);
  const hasRoot = parentIds.length < page.length;
  const children = await q
    .selectFrom("messages")
    .select(["id", "parent_id"])
    .where("thread_id", "=", share.thread_id)
    .where((is) =>
      is.or([
        ...(parentIds.length === 0 ? [] : [is("parent_id", "in", parentIds)]),
        ...(hasRoot ? [is("parent_id", "is", null)] : []),
      ]),
    )
    .where(isIn(share))
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  const families = Map.groupBy(children, ({ parent_id: parentId }) => parentId);
  return new Map(
    page.flatMap(({ id, parent_id: parentId }) => {
      const ids = (families.get(parentId) ?? []).map((child) => child.id);
      const index = ids.indexOf(id);
      if (index === -1 || ids.length < 2) return [];
      return [[id, { index, count: ids.length, previous: ids[index - 1], next: ids[index + 1] }] as const];
    }),
  );
}

/** The content of a message as its row has it. */
export type StoredContent = Pick<Row<"messages">, "role" | "status" | "format" | "content" | "plain_text">;

/** The contents of those of `ids` that are in the thread, by id, for `unpackRow`. */
export async function listStored(
  db: Database,
  threadId: string,
  ids: readonly string[],
): Promise<Map<string, StoredContent>> {
  const found = await db.readWorker
    .selectFrom("messages")
    .select(["id", "role", "status", "format", "content", "plain_text"])
    .where("thread_id", "=", threadId)
    .where("id", "in", idsOf(db, ids))
    .execute();
  return new Map(found.map(({ id, ...stored }) => [id, stored]));
}

/** The first messages of all shared branches that reference a file: at most `limit`. */
export async function listReferencingInAll(
  q: Q,
  share: OpenShare,
  { fileId, limit }: { fileId: string; limit: number },
): Promise<string[]> {
  const found = await q
    .selectFrom("file_claims")
    .innerJoin("messages", "messages.id", "file_claims.message_id")
    .select("messages.id")
    .where("file_claims.file_id", "=", fileId)
    .where("messages.thread_id", "=", share.thread_id)
    .where(isIn(share))
    .orderBy("messages.created_at")
    .orderBy("messages.id")
    .limit(limit)
    .execute();
  return found.map(({ id }) => id);
}
