import type { Role } from "#contract/endpoints/messages.ts";
import type { Database } from "#storage/database/database.ts";
import { idsOf } from "#storage/database/portable-sql.ts";
import { sql } from "#storage/database/sql.ts";

/** The SQL for recent threads: threads of a period, and the branch of a thread that was shown last. */

export type RecentThreadsFilter = {
  workspaceId: string;
  after?: number | undefined;
  before?: number | undefined;
  archived?: boolean | undefined;
  exceptThreadId?: string | undefined;
  limit: number;
};

export async function findThreads(db: Database, filter: RecentThreadsFilter) {
  const { after, before } = filter;
  return await db.readWorker
    .selectFrom("threads")
    .where("workspace_id", "=", filter.workspaceId)
    .where("deleted_at", "is", null)
    .where("temporary_until", "is", null)
    .$if(filter.archived !== undefined, (query) =>
      query.where("archived", "=", filter.archived === true ? 1 : 0),
    )
    .$if(filter.exceptThreadId !== undefined, (query) => query.where("id", "<>", filter.exceptThreadId!))
    .$if(after !== undefined, (query) => query.where("last_message_at", ">=", after!))
    // The thread may have newer messages. It counts if it has messages in the period.
    .$if(after !== undefined || before !== undefined, (query) =>
      query.where((is) =>
        is.exists(
          is
            .selectFrom("messages")
            .select("messages.id")
            .whereRef("messages.thread_id", "=", "threads.id")
            .where("messages.created_at", ">=", after ?? 0)
            .where("messages.created_at", "<", before ?? Number.MAX_SAFE_INTEGER),
        ),
      ),
    )
    .select(["id as threadId", "title", "archived", "last_message_at as lastMessageAtMs"])
    .orderBy("last_message_at", "desc")
    .orderBy("id", "desc")
    .limit(filter.limit)
    .execute();
}

export async function findThread(db: Database, workspaceId: string, threadId: string) {
  return await db.readWorker
    .selectFrom("threads")
    .where("id", "=", threadId)
    .where("workspace_id", "=", workspaceId)
    .where("deleted_at", "is", null)
    .where("temporary_until", "is", null)
    .select(["title"])
    .executeTakeFirst();
}

/** The number of messages of each thread, and the beginning of the person's first message. */
export async function findBeginnings(
  db: Database,
  threadIds: string[],
  characters: number,
): Promise<Map<string, { messages: number; text: string }>> {
  const counted = await db.readWorker
    .selectFrom("messages")
    .where("thread_id", "in", idsOf(db, threadIds))
    .select(["thread_id", (count) => count.fn.countAll<number>().as("messages")])
    .groupBy("thread_id")
    .execute();
  const first = await db.readWorker
    .selectFrom("messages")
    .where("thread_id", "in", idsOf(db, threadIds))
    .where("role", "=", "user")
    .where("parent_id", "is", null)
    .select(["thread_id", sql<string>`substr(plain_text, 1, ${characters})`.as("text")])
    .orderBy("created_at", "desc")
    .execute();
  const texts = new Map(first.map(({ thread_id: id, text }) => [id, text]));
  return new Map(
    counted.map(({ thread_id: id, messages }) => [id, { messages: messages, text: texts.get(id) ?? "" }]),
  );
}

type Branch = {
  /** The latest first. */
  messages: { messageId: string; role: Role; model: string | null; saidAtMs: number; text: string }[];
  /** How many messages precede the latest one. */
  height: number;
};

/** The branch that ends in `untilMessageId`, or else the one that was shown last, or else that of the newest message. */
export async function readBranch(
  db: Database,
  threadId: string,
  untilMessageId: string | undefined,
  messages: number,
  characters: number,
): Promise<Branch> {
  const head = untilMessageId ?? (await findBranchEnd(db, threadId));
  if (head === undefined) return { messages: [], height: -1 };
  const { rows } = await sql<{
    id: string;
    role: Role;
    model: string | null;
    created_at: number;
    text: string;
    height: number;
  }>`with recursive branch(id, parent_id, run_id, role, created_at, text, height, depth) as (
      select id, parent_id, run_id, role, created_at, substr(plain_text, 1, ${characters}), height, 1 from messages
        where thread_id = ${threadId} and id = ${head}
      union all
      select above.id, above.parent_id, above.run_id, above.role, above.created_at, substr(above.plain_text, 1, ${characters}), above.height, branch.depth + 1
        from branch join messages as above on above.id = branch.parent_id and above.thread_id = ${threadId}
        where branch.depth < ${messages}
    ) select branch.id, role, runs.model, branch.created_at, text, height
      from branch left join runs on runs.id = branch.run_id order by depth`.execute(db.readWorker);
  return {
    messages: rows.map(({ id, role, model, created_at: saidAt, text }) => ({
      messageId: id,
      role,
      model,
      saidAtMs: saidAt,
      text,
    })),
    height: rows[0]?.height ?? -1,
  };
}

async function findBranchEnd(db: Database, threadId: string): Promise<string | undefined> {
  const shown = await db.readWorker
    .selectFrom("branch_heads")
    .innerJoin("messages", "messages.id", "branch_heads.message_id")
    .where("branch_heads.thread_id", "=", threadId)
    .select("messages.id")
    .orderBy("branch_heads.updated_at", "desc")
    .limit(1)
    .executeTakeFirst();
  if (shown !== undefined) return shown.id;
  const newest = await db.readWorker
    .selectFrom("messages")
    .where("thread_id", "=", threadId)
    .select("id")
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  return newest?.id;
}
