import type { Database } from "#storage/database/database.ts";
import { idsOf } from "#storage/database/portable-sql.ts";
import { sql, type RawBuilder } from "#storage/database/sql.ts";
import { filtered, withoutFileUrls, type DocumentFilter } from "./rows.ts";

/** The SQL of search results by thread. */

export type FoundThread = {
  thread_id: string;
  title: string | null;
  archived: number;
  created_at: number;
  /** The number of its newest document. */
  number: number;
  /** How many of the documents are its own. */
  documents: number;
};

/** The threads of the newest `documentsMax` of these documents, the one with the newest document first. */
export async function findThreads(
  db: Database,
  documents: RawBuilder<{ number: number }>,
  filter: DocumentFilter,
  documentsMax: number,
): Promise<FoundThread[]> {
  const newest = filtered(db, documents, filter)
    .select(["found.number", "threads.id"])
    .orderBy("found.number", "desc")
    .limit(documentsMax);
  return await db.readWorker
    .selectFrom((from) =>
      from
        .selectFrom(newest.as("newest"))
        .groupBy("newest.id")
        .select((of) => [
          "newest.id",
          of.fn.max("newest.number").as("number"),
          of.fn.countAll<number>().as("documents"),
        ])
        .as("groups"),
    )
    .innerJoin("threads", "threads.id", "groups.id")
    .select([
      "groups.id as thread_id",
      "threads.title",
      "threads.archived",
      "threads.created_at",
      "groups.number",
      "groups.documents",
    ])
    .orderBy("groups.number", "desc")
    .execute();
}

export type FoundInThread = { thread_id: string; number: number; matches: number };

/** The newest `perThread` of these messages in each thread, and how many there are in it. Titles are left out. */
export async function findInThreads(
  db: Database,
  documentsFrom: (number: number) => RawBuilder<{ number: number }>,
  threadIds: string[],
  perThread: number,
  forMember?: true,
): Promise<FoundInThread[]> {
  if (threadIds.length === 0) return [];
  // The word index is read from the oldest document of these threads only.
  const { oldest } = await db.readWorker
    .selectFrom("search_documents")
    .where("thread_id", "in", idsOf(db, threadIds))
    .select((of) => of.fn.min("number").as("oldest"))
    .executeTakeFirstOrThrow();
  const ranked = db.readWorker
    .selectFrom("search_documents")
    .where("thread_id", "in", idsOf(db, threadIds))
    .where("message_id", "is not", null)
    .where("number", "in", sql<number>`(select number from ${documentsFrom(oldest ?? 0)} as found)`)
    .$if(forMember === true, (query) => query.where(withoutFileUrls))
    .select([
      "thread_id",
      "number",
      sql<number>`row_number() over (partition by thread_id order by number desc)`.as("place"),
      sql<number>`count(*) over (partition by thread_id)`.as("matches"),
    ]);
  return await db.readWorker
    .selectFrom(ranked.as("ranked"))
    .where("place", "<=", perThread)
    .select(["thread_id", "number", "matches"])
    .orderBy("number", "desc")
    .execute();
}
