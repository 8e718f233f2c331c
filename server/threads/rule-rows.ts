import type { Database } from "#storage/database/database.ts";
import type { Row } from "#storage/database/tables.ts";

/** The SQL of what answers in a thread of any workspace may use and know. */

/** A tool that a person allowed in a thread, as it was then. */
export type AllowedTool = { source: string; name: string; schemaHash: string };

/** The tools that may run without approval in a thread. */
export async function findAllowedTools(
  db: Database,
  id: string,
): Promise<Pick<Row<"threads">, "allowed_tools"> | undefined> {
  return await db.read.selectFrom("threads").select("allowed_tools").where("id", "=", id).executeTakeFirst();
}

export type ThreadRules = { isLocalOnly: boolean; isTemporary: boolean; isShared: boolean };

/** All are false if there is no such thread. */
export async function findThreadRules(db: Pick<Database, "read">, id: string | null): Promise<ThreadRules> {
  if (id === null) return { isLocalOnly: false, isTemporary: false, isShared: false };
  const found = await db.read
    .selectFrom("threads")
    .leftJoin("thread_members", "thread_members.thread_id", "threads.id")
    .select(["local_only", "temporary_until", "member_id"])
    .where("threads.id", "=", id)
    .limit(1)
    .executeTakeFirst();
  return {
    isLocalOnly: found?.local_only === 1,
    isTemporary: found !== undefined && found.temporary_until !== null,
    isShared: found !== undefined && found.member_id !== null,
  };
}
