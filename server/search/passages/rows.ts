import type { Role } from "#contract/endpoints/messages.ts";
import type { Database } from "#storage/database/database.ts";
import { jsonElements, idsOf } from "#storage/database/portable-sql.ts";
import { documentsWithAny, wordIndexes, type Phrase, type WordIndex } from "#storage/database/full-text.ts";
import { sql, type RawBuilder } from "#storage/database/sql.ts";
import { messagesWithFile, type FileFilter } from "../files/rows.ts";

/** The SQL of retrieval. It runs on the read worker, so that it does not block streams. */

type Range = { from: number; below: number };

/** How many documents, including pieces of files, match any lookup of each concept, in the order of `concepts`. */
export async function countDocuments(db: Database, concepts: Phrase[][], range: Range): Promise<number[]> {
  const counts = concepts.flatMap((lookups, at) =>
    wordIndexes.map(
      (index) =>
        sql`select cast(${at} as integer) as at, count(*) as holders from ${documentsWithAny(db, index, lookups, range)} as held`,
    ),
  );
  const rows = await db.readWorker
    .selectFrom(sql<{ at: number; holders: number }>`(${sql.join(counts, sql` union all `)})`.as("counted"))
    .select(["at", "holders"])
    .execute();
  const counted = concepts.map(() => 0);
  for (const { at, holders: more } of rows) counted[at]! += more;
  return counted;
}

export type Ranked = { threadId: string; messageId: string | null; parentId: string | null };

/** Which messages to search. Threads in the trash are never searched. */
export type Scope = {
  workspaceId: string;
  range: Range;
  threadId: string | undefined;
  /** Messages by these models, and these messages, are left out. */
  notBy: readonly string[];
  exceptIds: readonly string[];
};

type Weighed = { lookups: Phrase[]; weight: number };

/** Documents by the sum of the weights of their concepts, the highest first, then the newest first. */
export async function rankDocuments(
  db: Database,
  scope: Scope,
  concepts: Weighed[],
  limit: number,
): Promise<Ranked[]> {
  return await db.readWorker
    .selectFrom(weighed(db, "search_words", scope, concepts).as("found"))
    .crossJoin("search_documents")
    .crossJoin("threads")
    .leftJoin("messages", "messages.id", "search_documents.message_id")
    .whereRef("search_documents.number", "=", "found.number")
    .whereRef("threads.id", "=", "search_documents.thread_id")
    .where("search_documents.workspace_id", "=", scope.workspaceId)
    .where("threads.workspace_id", "=", scope.workspaceId)
    .where("threads.deleted_at", "is", null)
    .$if(scope.threadId !== undefined, (query) => query.where("threads.id", "=", scope.threadId!))
    .where((is) => is.or([is("messages.id", "is", null), isInScope(db, scope)]))
    .select([
      "search_documents.thread_id as threadId",
      "search_documents.message_id as messageId",
      "messages.parent_id as parentId",
    ])
    .orderBy("found.score", "desc")
    .orderBy("found.number", "desc")
    .limit(limit)
    .execute();
}

/** Like `rankDocuments`, for pieces of attached files. Returns the numbers of their documents. */
export async function rankFileDocuments(
  db: Database,
  scope: Scope,
  concepts: Weighed[],
  limit: number,
): Promise<number[]> {
  const ranked = await db.readWorker
    .selectFrom(weighed(db, "search_file_words", scope, concepts).as("found"))
    .crossJoin("search_file_documents")
    .whereRef("search_file_documents.number", "=", "found.number")
    .where("search_file_documents.workspace_id", "=", scope.workspaceId)
    .where(sql<boolean>`exists (${messagesWithFile(db, fileFilterOf(scope))})`)
    .select("found.number")
    .orderBy("found.score", "desc")
    .orderBy("found.number", "desc")
    .limit(limit)
    .execute();
  return ranked.map(({ number }) => number);
}

export function fileFilterOf({ workspaceId, threadId }: Scope): FileFilter {
  return { workspaceId, archived: undefined, threadIds: threadId === undefined ? undefined : [threadId] };
}

/** Documents with the sums of the weights of their concepts. */
function weighed(
  db: Database,
  index: WordIndex,
  { range }: Scope,
  concepts: Weighed[],
): RawBuilder<{ number: number; score: number }> {
  const held = concepts.map(
    ({ lookups, weight }) =>
      sql`select number, cast(${weight} as double precision) as weight from ${documentsWithAny(db, index, lookups, range)} as held`,
  );
  return sql`(select number, sum(weight) as score from (${sql.join(held, sql` union all `)}) as weighed group by number)`;
}

export type Text = {
  id: string;
  threadId: string;
  parentId: string | null;
  role: Role;
  createdAt: number;
  title: string | null;
  archived: number;
  text: string;
  /** The file that contains the text; absent for the text of the message itself. */
  file?: { id: string; name: string; page: number | null };
};

/** How many levels of messages are read of a thread whose title was found. */
const titleHeightMax = 40;

/** These messages, their replies, and the beginnings of these threads, each up to `limits.characters`. */
export async function findTexts(
  db: Database,
  scope: Scope,
  wanted: { messages: { id: string; threadId: string }[]; threadIds: string[] },
  limits: { characters: number; messages: number },
): Promise<Text[]> {
  const ids = sql<string>`(
    select value->>0 from ${jsonElements(
      db,
      wanted.messages.map(({ id }) => [id]),
    )} as asked
    union select below.id from ${jsonElements(
      db,
      wanted.messages.map(({ id, threadId }) => [threadId, id]),
    )} as above
      join messages as below on below.thread_id = above.value->>0 and below.parent_id = above.value->>1
    union select begun.id from messages as begun
      where begun.thread_id in ${idsOf(db, wanted.threadIds)} and begun.height < ${titleHeightMax})`;
  return await db.readWorker
    .selectFrom("messages")
    .crossJoin("threads")
    .where("messages.id", "in", ids)
    .whereRef("threads.id", "=", "messages.thread_id")
    .where("threads.workspace_id", "=", scope.workspaceId)
    .where("threads.deleted_at", "is", null)
    .where(isInScope(db, scope))
    .select([
      "messages.id",
      "messages.thread_id as threadId",
      "messages.parent_id as parentId",
      "messages.role",
      "messages.created_at as createdAt",
      "threads.title",
      "threads.archived",
      sql<string>`substr(messages.plain_text, 1, ${limits.characters})`.as("text"),
    ])
    .orderBy("messages.created_at", "desc")
    .orderBy("messages.id", "desc")
    .limit(limits.messages)
    .execute();
}

function isInScope(db: Database, { notBy, exceptIds }: Scope): RawBuilder<boolean> {
  return sql<boolean>`(messages.id not in ${idsOf(db, exceptIds)} and not exists (
    select 1 from runs where runs.id = messages.run_id and runs.model in ${idsOf(db, notBy)}))`;
}
