import { sql, type Kysely } from "#storage/database/sql.ts";
import type { Tables } from "#storage/database/tables.ts";

/** The SQL of the storage quota. It reads two indexes of other modules' tables and writes nothing. */

export type Owner = { app_id: string; created_by: string };

/** What a person stores in all workspaces of the app, and the number of their files, including pending ones. */
export async function usage(q: Kysely<Tables>, owner: Owner): Promise<{ bytes: number; files: number }> {
  const { rows } = await sql<{
    file_bytes: number | string;
    files: number | string;
    text_bytes: number | string;
  }>`
    select coalesce(sum(size_bytes), 0) as file_bytes, count(*) as files,
      (select coalesce(sum(text_bytes), 0) from threads
        where app_id = ${owner.app_id} and created_by = ${owner.created_by}) as text_bytes
    from files where app_id = ${owner.app_id} and created_by = ${owner.created_by}`.execute(q);
  const row = rows[0]!;
  return { bytes: Number(row.file_bytes) + Number(row.text_bytes), files: Number(row.files) };
}

/**
 * The text of the messages, sent and queued, that a member wrote or asked for in the threads of this thread's workspace that
 * are shared with them now.
 */
export async function usageOfMember(q: Kysely<Tables>, threadId: string, userId: string): Promise<number> {
  const shared = sql`(select threads.id from thread_members
    join threads on threads.id = thread_members.thread_id
    where threads.workspace_id = (select workspace_id from threads where id = ${threadId})
      and (thread_members.user_id = ${userId} or thread_members.group_id in
        (select group_id from user_group_members where user_id = ${userId})))`;
  const { rows } = await sql<{ bytes: number | string }>`
    select (
      select coalesce(sum(octet_length(content) + octet_length(plain_text)), 0) from messages
      where created_by = ${userId} and thread_id in ${shared}
    ) + (
      select coalesce(sum(octet_length(content)), 0) from queued_messages
      where created_by = ${userId} and thread_id in ${shared}
    ) as bytes`.execute(q);
  return Number(rows[0]?.bytes ?? 0);
}

/** What the creator of a thread stores; 0 if the creator is unknown. */
export async function usageOfCreator(q: Kysely<Tables>, threadId: string): Promise<number> {
  const { rows } = await sql<{ bytes: number | string }>`
    select (
      select coalesce(sum(text_bytes), 0) from threads
      where app_id = own.app_id and created_by = own.created_by
    ) + (
      select coalesce(sum(size_bytes), 0) from files
      where app_id = own.app_id and created_by = own.created_by
    ) as bytes from threads as own where own.id = ${threadId}`.execute(q);
  return Number(rows[0]?.bytes ?? 0);
}
