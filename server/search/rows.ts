import type { Database, Tx } from "#storage/database/database.ts";
import { forUpdateSkipLocked, jsonElements, idsOf } from "#storage/database/portable-sql.ts";
import {
  documentsWith,
  documentsWithAny,
  indexWords,
  type WordIndex,
  type WordQuery,
} from "#storage/database/full-text.ts";
import { sql, type RawBuilder } from "#storage/database/sql.ts";
import type { Tables } from "#storage/database/tables.ts";
import type { Role } from "#contract/endpoints/messages.ts";
import { freeNumbers } from "./document-numbers.ts";
import { isIn, phrasesIn, pieceMark, type WorkspaceIds } from "./workspace-prefix.ts";

/** The SQL of search: documents and pending entries, in tables that only this module and its triggers write. */

export type Pending = { kind: "message" | "title"; id: string };
export type PendingFile = { kind: "file"; id: string };

/** A text to index. */
export type Text = Pending & { threadId: string; workspaceId: string; text: string; createdAt: number };

export async function findPending(db: Database, limit: number): Promise<Pending[]> {
  const pending = db.read.selectFrom("search_pending").selectAll().where("kind", "in", ["message", "title"]);
  return (await pending.limit(limit).execute()) as Pending[];
}

/** Which kinds of entries are pending. */
export async function findPendingKinds(
  db: Database,
): Promise<{ texts: number | boolean; files: number | boolean }> {
  const { rows } = await sql<{ texts: number | boolean; files: number | boolean }>`
    select exists (select 1 from search_pending where kind in ('message', 'title')) as texts,
      exists (select 1 from search_pending where kind = 'file') as files`.execute(db.read);
  return rows[0]!;
}

export async function findPendingFile(db: Database, exceptIds: string[]): Promise<PendingFile | undefined> {
  const pending = db.read
    .selectFrom("search_pending")
    .selectAll()
    .where("kind", "=", "file")
    .where("id", "not in", idsOf(db, exceptIds))
    .limit(1);
  return (await pending.executeTakeFirst()) as PendingFile | undefined;
}

/** The first `charactersMax` characters of each text. Deleted ones and those of temporary threads are missing. */
export async function findTexts(
  from: Pick<Tx, "q" | "engine">,
  pending: Pending[],
  charactersMax: number,
): Promise<Text[]> {
  const ids = (kind: Pending["kind"]) => pending.filter((one) => one.kind === kind).map(({ id }) => id);
  const [messageIds, titleIds] = [idsOf(from, ids("message")), idsOf(from, ids("title"))];
  // In a transaction they are locked, so that none is deleted before the document that refers to it is stored. The threads
  // come first, as everywhere: a transaction that deletes one has locked it, and waits for its messages.
  const lock = from.engine === "postgres" && from.q.isTransaction;
  if (lock)
    await sql`select id from threads where id in ${titleIds}
      or id in (select thread_id from messages where id in ${messageIds}) order by id for key share`.execute(
      from.q,
    );
  const messages = await from.q
    .selectFrom("messages")
    .innerJoin("threads", "threads.id", "messages.thread_id")
    .where("messages.id", "in", messageIds)
    .where("threads.temporary_until", "is", null)
    .select([
      "messages.id",
      "messages.thread_id as threadId",
      "threads.workspace_id as workspaceId",
      "messages.created_at as createdAt",
      sql<string>`substr(messages.plain_text, 1, ${charactersMax})`.as("text"),
    ])
    .$if(lock, (query) => query.forKeyShare("messages"))
    .execute();
  const titles = await from.q
    .selectFrom("threads")
    .where("id", "in", titleIds)
    .where("temporary_until", "is", null)
    .select([
      "id",
      "id as threadId",
      "workspace_id as workspaceId",
      "created_at as createdAt",
      "title as text",
    ])
    .execute();
  return [
    ...messages.map((message) => ({ ...message, kind: "message" as const })),
    ...titles.map((title) => ({ ...title, kind: "title" as const, text: title.text ?? "" })),
  ];
}

/**
 * Has all messages of a thread indexed that was temporary until now. An entry that is there already is locked, so that no
 * other transaction takes it before it can see that the thread is an ordinary one.
 */
export async function indexMessagesOf(tx: Tx, threadId: string): Promise<void> {
  await sql`insert into search_pending (kind, id) select 'message', messages.id from messages
    where thread_id = ${threadId} and plain_text <> '' order by messages.id
    on conflict (kind, id) do update set id = excluded.id`.execute(tx.q);
}

/**
 * Deletes pending entries and returns them. Entries whose texts another transaction is changing are left out. Read the
 * texts afterwards: a change that was committed before has no other entry.
 */
export async function takePending<Entry extends Pending | PendingFile>(
  tx: Tx,
  pending: Entry[],
): Promise<Entry[]> {
  if (pending.length === 0) return [];
  const keys = jsonElements(
    tx,
    pending.map(({ kind, id }) => [kind, id]),
  );
  const free = forUpdateSkipLocked(
    tx,
    tx.q
      .selectFrom("search_pending")
      .select(["kind", "id"])
      .where(sql<boolean>`(kind, id) in (select value->>0, value->>1 from ${keys})`),
  );
  const { rows } = await sql<Entry>`
    delete from search_pending where (kind, id) in ${free} returning kind, id`.execute(tx.q);
  return rows;
}

/** Puts back entries that were taken. */
export async function addPending(tx: Tx, pending: (Pending | PendingFile)[]): Promise<void> {
  if (pending.length === 0) return;
  await tx.q
    .insertInto("search_pending")
    .values(pending.map(({ kind, id }) => ({ kind, id })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Deletes the documents of these texts, and returns the number of each text's first one. */
export async function deleteDocuments(tx: Tx, texts: Pending[]): Promise<Map<string, number>> {
  const idsOfKind = (kind: Pending["kind"]) =>
    idsOf(
      tx,
      texts.filter((one) => one.kind === kind).map(({ id }) => id),
    );
  const messages = await tx.q
    .deleteFrom("search_documents")
    .where("message_id", "in", idsOfKind("message"))
    .returning(["message_id as id", "number"])
    .execute();
  const titles = await tx.q
    .deleteFrom("search_documents")
    .where("thread_id", "in", idsOfKind("title"))
    .where("message_id", "is", null)
    .returning(["thread_id as id", "number"])
    .execute();
  const first = new Map<string, number>();
  for (const { id, number } of [...messages, ...titles])
    first.set(id!, Math.min(number, first.get(id!) ?? Number.MAX_SAFE_INTEGER));
  return first;
}

/** A text or a piece of one. Without a number it gets the next free one of its time. */
export type NewDocument = { text: Text; start: number; words: string[]; number: number | undefined };

/** Adds documents with their words. */
export async function addDocuments(tx: Tx, documents: NewDocument[]): Promise<void> {
  // First those that have a number, before another one gets it.
  await insertDocuments(
    tx,
    documents.flatMap(({ number, ...rest }) => (number === undefined ? [] : { number, ...rest })),
  );
  const numbered: (NewDocument & { number: number })[] = [];
  const lastNumbers = new Map<number, number>();
  for (const document of documents.filter(({ number }) => number === undefined))
    numbered.push({ ...document, number: await freeNumbers(tx, document.text.createdAt, 1, lastNumbers) });
  await insertDocuments(tx, numbered);
}

async function insertDocuments(tx: Tx, documents: (NewDocument & { number: number })[]): Promise<void> {
  if (documents.length === 0) return;
  await tx.q
    .insertInto("search_documents")
    .values(
      documents.map(({ number, start, text: { kind, id, threadId, workspaceId } }) => ({
        number,
        workspace_id: workspaceId,
        thread_id: threadId,
        message_id: kind === "message" ? id : null,
        start,
      })),
    )
    .execute();
  await indexWords(tx, "search_words", documents);
}

export type Found = {
  number: number;
  thread_id: string;
  message_id: string | null;
  title: string | null;
  archived: number;
  role: Role | null;
  text: string | null;
  created_at: number;
};

/** A subquery with the numbers of matching documents; of all documents of the workspace if the query has no words. */
export function matchingDocuments(
  db: Pick<Database, "engine">,
  index: WordIndex,
  workspaceId: WorkspaceIds,
  wanted: WordQuery,
  range: { from: number; below: number },
): RawBuilder<{ number: number }> {
  if (wanted.all.length > 0) return documentsWith(db, index, wanted, range);
  const { none = [] } = wanted;
  const without =
    none.length === 0 ? sql`` : sql`and number not in ${documentsWithAny(db, index, none, range)}`;
  return sql`(select number from ${sql.table(documentsOf[index])} where ${isIn(db, "workspace_id", workspaceId)}
    and number >= ${range.from} and number < ${range.below} ${without})`;
}

const documentsOf = {
  search_words: "search_documents",
  search_file_words: "search_file_documents",
} as const satisfies Record<WordIndex, keyof Tables>;

/** Whether the workspace has messages in several pieces. */
export async function hasPieces(db: Database, workspaceId: WorkspaceIds): Promise<boolean> {
  const found = documentsWith(db, "search_words", { all: pieceMarks(workspaceId) }, everything);
  return (await db.readWorker.selectFrom(found.as("found")).select("number").limit(1).execute()).length > 0;
}

/**
 * A subquery with the first document of each message in several pieces that together have each of `all` and none of
 * `none`.
 */
export function matchingPiecedMessages(
  db: Database,
  workspaceId: WorkspaceIds,
  { all, none = [] }: WordQuery,
  range: { from: number; below: number },
): RawBuilder<{ number: number }> {
  const holding = (wanted: WordQuery["all"]) =>
    sql`select message_id from ${documentsWith(
      db,
      "search_words",
      { all: [...pieceMarks(workspaceId), ...wanted] },
      everything,
    )} as held cross join search_documents where search_documents.number = held.number`;
  const each = all.length === 0 ? [holding([])] : all.map((one) => holding([one]));
  const without = none.map((one) => sql` except ${holding([one])}`);
  return sql`(select min(number) as number from search_documents
    where message_id in (${sql.join(each, sql` intersect `)}${sql.join(without, sql``)}) group by message_id
    having min(number) >= ${range.from} and min(number) < ${range.below})`;
}

/** The text of the piece that matches most, for each of these messages in several pieces. */
export async function findPieces(
  db: Database,
  workspaceId: WorkspaceIds,
  all: WordQuery["all"],
  messageIds: string[],
  charactersMax: number,
): Promise<Map<string, string>> {
  if (messageIds.length === 0 || all.length === 0) return new Map();
  const held = all.map(
    (one) =>
      sql`select number from ${documentsWith(db, "search_words", { all: [...pieceMarks(workspaceId), one] }, everything)} as one`,
  );
  const found = await db.readWorker
    .selectFrom(sql<{ number: number }>`(${sql.join(held, sql` union all `)})`.as("held"))
    .innerJoin("search_documents", "search_documents.number", "held.number")
    .where("search_documents.message_id", "in", idsOf(db, messageIds))
    .select(["search_documents.message_id", "search_documents.number", sql<number>`count(*)`.as("count")])
    .groupBy(["search_documents.message_id", "search_documents.number"])
    .orderBy("count")
    .orderBy("search_documents.number", "desc")
    .execute();
  // The map keeps the last entry of a message: the piece with the most matches, and the first of those.
  const best = new Map(found.map(({ message_id: id, number }) => [id, number]));
  const texts = await db.readWorker
    .selectFrom("search_documents")
    .innerJoin("messages", "messages.id", "search_documents.message_id")
    .where("search_documents.number", "in", [...best.values()])
    .select([
      "messages.id",
      sql<string>`substr(messages.plain_text, search_documents.start + 1, ${charactersMax})`.as("text"),
    ])
    .execute();
  return new Map(texts.map(({ id, text }) => [id, text]));
}

const everything = { from: 0, below: Number.MAX_SAFE_INTEGER };

function pieceMarks(workspaceId: WorkspaceIds): WordQuery["all"] {
  return phrasesIn(workspaceId, [{ words: [pieceMark] }]);
}

/** Excludes messages in several pieces. */
export function withoutPieces(workspaceId: WorkspaceIds, wanted: WordQuery): WordQuery {
  return { ...wanted, none: [...(wanted.none ?? []), ...pieceMarks(workspaceId)] };
}

/** A subquery with the matching titles, and with the first document of each matching message. */
export function matchingTexts(
  db: Database,
  workspaceId: WorkspaceIds,
  wanted: WordQuery,
  range: { from: number; below: number },
  hasPieces: boolean,
): RawBuilder<{ number: number }> {
  if (!hasPieces) return matchingDocuments(db, "search_words", workspaceId, wanted, range);
  const whole = withoutPieces(workspaceId, wanted);
  return sql`(select number from ${matchingDocuments(db, "search_words", workspaceId, whole, range)} as whole
    union all select number from ${matchingPiecedMessages(db, workspaceId, wanted, range)} as pieced)`;
}

/** A subquery with these numbers. */
export function theseDocuments(db: Database, numbers: number[]): RawBuilder<{ number: number }> {
  const list = jsonElements(
    db,
    numbers.map((number) => [number]),
  );
  return sql`(select cast(value->>0 as bigint) as number from ${list} as listed)`;
}

/** Which documents a search returns. Other workspaces and threads in the trash are always left out. */
export type DocumentFilter = {
  workspaceId: WorkspaceIds;
  kind: Pending["kind"] | undefined;
  archived: boolean | undefined;
  threadIds: string[] | undefined;
  /** For a member of the threads, without what members may not read. */
  forMember?: true;
};

/**
 * Messages and titles whose text has no address of a file. Members get no such address, and could guess its secret part
 * by searching for its beginning.
 */
export const withoutFileUrls = sql<boolean>`not exists (select 1 from messages as addressed
    where addressed.id = search_documents.message_id and addressed.plain_text like '%/content/file_0%')
  and not exists (select 1 from threads as titled where titled.id = search_documents.thread_id
    and search_documents.message_id is null and titled.title like '%/content/file_0%')`;

/** The query that the others build on. */
export function filtered(db: Database, documents: RawBuilder<{ number: number }>, filter: DocumentFilter) {
  return (
    db.readWorker
      .selectFrom(documents.as("found"))
      // SQLite keeps the order of cross joins. Otherwise it would query the word index once for each document of the
      // workspace, because it assumes that such queries cost nothing.
      .crossJoin("search_documents")
      .crossJoin("threads")
      .whereRef("search_documents.number", "=", "found.number")
      .whereRef("threads.id", "=", "search_documents.thread_id")
      .where(isIn(db, "search_documents.workspace_id", filter.workspaceId))
      .where(isIn(db, "threads.workspace_id", filter.workspaceId))
      .where("threads.deleted_at", "is", null)
      .$if(filter.kind !== undefined, (query) =>
        query.where("search_documents.message_id", filter.kind === "title" ? "is" : "is not", null),
      )
      .$if(filter.archived !== undefined, (query) =>
        query.where("threads.archived", "=", filter.archived === true ? 1 : 0),
      )
      .$if(filter.threadIds !== undefined, (query) =>
        query.where("threads.id", "in", idsOf(db, filter.threadIds ?? [])),
      )
      .$if(filter.forMember === true, (query) => query.where(withoutFileUrls))
  );
}

/** These documents, the newest first. */
export async function findDocuments(
  db: Database,
  documents: RawBuilder<{ number: number }>,
  filter: DocumentFilter & { charactersMax: number; limit: number },
): Promise<Found[]> {
  return await filtered(db, documents, filter)
    .leftJoin("messages", "messages.id", "search_documents.message_id")
    .select([
      "found.number",
      "search_documents.thread_id",
      "search_documents.message_id",
      "threads.title",
      "threads.archived",
      "messages.role",
      sql<string | null>`substr(messages.plain_text, 1, ${filter.charactersMax})`.as("text"),
      sql<number>`coalesce(messages.created_at, threads.created_at)`.as("created_at"),
    ])
    .orderBy("found.number", "desc")
    .limit(filter.limit)
    .execute();
}
