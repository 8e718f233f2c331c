import type { Database } from "#storage/database/database.ts";
import { sql, type Kysely } from "#storage/database/sql.ts";
import type { Row, Tables } from "#storage/database/tables.ts";
import { unpackRow } from "#storage/lib/packed-content.ts";
import type { MessageRow } from "../rows.ts";

/** The SQL of a thread's messages as the protocol lists them. */

/** A message's position in its thread's list. The height decreases when an ancestor is deleted; the rest never changes. */
export type ListPosition = Pick<MessageRow, "height" | "created_at" | "id">;

/** A message and, if it ever had one, the last lease with which a client wrote it. */
export type ListedRow = MessageRow & {
  lease: Pick<Row<"client_leases">, "heartbeat_at" | "ended_at" | "answer_heartbeat_at"> | undefined;
};

/**
 * A page of a thread's messages after `after`, by height, then time, then id, all descending. One statement reads their
 * leases too: a reader that saw the end of a lease with the content before it would not read again.
 */
export async function listMessages(
  db: Database,
  threadId: string,
  after: ListPosition | undefined,
  limit: number,
): Promise<ListedRow[]> {
  const page = await pageQuery(db, threadId, after, limit)
    .leftJoin("client_leases", "client_leases.message_id", "messages.id")
    .selectAll("messages")
    .select([
      "client_leases.heartbeat_at as lease_heartbeat_at",
      "client_leases.ended_at as lease_ended_at",
      "client_leases.answer_heartbeat_at as lease_answer_heartbeat_at",
    ])
    .execute();
  return page.map(
    ({
      lease_heartbeat_at: heartbeatAt,
      lease_ended_at: endedAt,
      lease_answer_heartbeat_at: answerHeartbeatAt,
      ...row
    }) => ({
      ...unpackRow(row),
      lease:
        heartbeatAt === null
          ? undefined
          : { heartbeat_at: heartbeatAt, ended_at: endedAt, answer_heartbeat_at: answerHeartbeatAt },
    }),
  );
}

function pageQuery(db: Database, threadId: string, after: ListPosition | undefined, limit: number) {
  const query = db.read
    .selectFrom("messages")
    .where("messages.thread_id", "=", threadId)
    .orderBy("messages.height", "desc")
    .orderBy("messages.created_at", "desc")
    .orderBy("messages.id", "desc")
    .limit(limit);
  if (after === undefined) return query;
  return query.where((is) =>
    is(
      is.refTuple("messages.height", "messages.created_at", "messages.id"),
      "<",
      is.tuple(after.height, after.created_at, after.id),
    ),
  );
}

/** The length of the content of a page of `listMessages` in characters, about. */
export async function measurePage(
  db: Database,
  threadId: string,
  after: ListPosition | undefined,
  limit: number,
): Promise<number> {
  const page = pageQuery(db, threadId, after, limit).select(
    sql<number>`length(content) + length(plain_text)`.as("characters"),
  );
  const sizes = await page.execute();
  return sizes.reduce((sum, size) => sum + size.characters, 0);
}

export async function findDeleted(
  q: Kysely<Tables>,
  threadId: string,
  id: string,
): Promise<ListPosition | undefined> {
  return await q
    .selectFrom("gone_messages")
    .select(["id", "height", "created_at"])
    .where("thread_id", "=", threadId)
    .where("id", "=", id)
    .executeTakeFirst();
}
