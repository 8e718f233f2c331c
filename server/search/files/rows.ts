import { randomUUID } from "node:crypto";
import type { Role } from "#contract/endpoints/messages.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { jsonElements, idsOf } from "#storage/database/portable-sql.ts";
import { documentsWith, indexWords, type WordQuery } from "#storage/database/full-text.ts";
import { sql, type RawBuilder } from "#storage/database/sql.ts";
import { freeNumbers, numbersPerFile } from "../document-numbers.ts";
import { matchingDocuments } from "../rows.ts";
import { isIn, type WorkspaceIds } from "../workspace-prefix.ts";
import type { FilePiece } from "./pieces.ts";

/** The SQL of files in the index. The messages of a file are looked up during a search, because they change. */

export type FileToIndex = {
  id: string;
  workspaceId: string;
  name: string;
  createdAt: number;
  /** When its text was extracted, and by which version of the extractor. */
  readAt: number | null;
  reader: number | null;
};

/** In a transaction it is locked, so that it is not deleted before the documents that refer to it are stored. */
export async function findFile(from: Pick<Tx, "q" | "engine">, id: string): Promise<FileToIndex | undefined> {
  const lock = from.engine === "postgres" && from.q.isTransaction;
  return await from.q
    .selectFrom("files")
    .leftJoin("file_texts", "file_texts.blob_key", "files.blob_key")
    .where("files.id", "=", id)
    .select([
      "files.id",
      "files.workspace_id as workspaceId",
      "files.name",
      "files.created_at as createdAt",
      "file_texts.created_at as readAt",
      "file_texts.reader",
    ])
    .$if(lock, (query) => query.forKeyShare("files"))
    .executeTakeFirst();
}

export async function findText(
  db: Database,
  id: string,
): Promise<{ text: string; pages: number | null } | undefined> {
  return await db.read
    .selectFrom("files")
    .innerJoin("file_texts", "file_texts.blob_key", "files.blob_key")
    .where("files.id", "=", id)
    .select(["file_texts.text", "file_texts.pages"])
    .executeTakeFirst();
}

/** The documents of one indexing of a file, in the order of its pieces. */
export type FileDocuments = { madeIn: string; numbers: number[] };

/** Replaces the documents of a file by empty ones for these pieces. */
export async function createDocuments(
  tx: Tx,
  file: FileToIndex,
  pieces: FilePiece[],
): Promise<FileDocuments> {
  const before = await tx.q
    .deleteFrom("search_file_documents")
    .where("file_id", "=", file.id)
    .returning("number")
    .execute();
  const madeIn = randomUUID();
  if (pieces.length === 0) return { madeIn, numbers: [] };
  const least = numbersPerFile(tx);
  const reserved = Math.max(least, pieces.length);
  // The first piece keeps its number if there is room for the others below it.
  const first =
    before.length > 0 && reserved === least
      ? Math.max(...before.map(({ number }) => number))
      : (await freeNumbers(tx, file.createdAt, reserved)) + reserved - 1;
  const last = first - pieces.length + 1;
  const numbers = pieces.map((_, at) => first - at);
  await tx.q
    .insertInto("search_file_documents")
    .values(
      pieces.map(({ start, characters, page }, at) => ({
        number: numbers[at]!,
        last_number: last,
        workspace_id: file.workspaceId,
        file_id: file.id,
        start,
        characters,
        page,
        made_in: madeIn,
      })),
    )
    .execute();
  return { madeIn, numbers };
}

/** Indexes the words of one document. Returns whether it still exists. */
export async function fillDocument(
  tx: Tx,
  { madeIn, numbers }: FileDocuments,
  at: number,
  words: string[],
): Promise<boolean> {
  const document = await tx.q
    .selectFrom("search_file_documents")
    .select("number")
    .where("number", "=", numbers[at]!)
    .where("made_in", "=", madeIn)
    .executeTakeFirst();
  if (document === undefined) return false;
  await indexWords(tx, "search_file_words", [{ number: document.number, words }]);
  return true;
}

export type FileFilter = {
  workspaceId: WorkspaceIds;
  archived: boolean | undefined;
  threadIds: string[] | undefined;
  /** For a member of the threads. */
  forMember?: true;
};

export type FileDocument = { number: number; lastNumber: number; fileId: string };

/** Matching pieces of files that a message of this workspace has, the newest file first. */
export async function findDocuments(
  db: Database,
  where: FileFilter,
  wanted: WordQuery,
  range: { from: number; below: number },
  limit: number,
): Promise<FileDocument[]> {
  return await db.readWorker
    .selectFrom(matchingDocuments(db, "search_file_words", where.workspaceId, wanted, range).as("found"))
    .crossJoin("search_file_documents")
    .whereRef("search_file_documents.number", "=", "found.number")
    .where(isIn(db, "search_file_documents.workspace_id", where.workspaceId))
    .where(sql<boolean>`exists (${messagesWithFile(db, where)})`)
    .select([
      "found.number",
      "search_file_documents.last_number as lastNumber",
      "search_file_documents.file_id as fileId",
    ])
    .orderBy("found.number", "desc")
    .limit(limit)
    .execute();
}

/** Files whose pieces together have each of `all` and none of `none`, each with the piece that matches most. */
export async function findAcrossPieces(
  db: Database,
  where: FileFilter,
  { all, none = [] }: WordQuery,
  range: { from: number; below: number },
  limit: number,
): Promise<FileDocument[]> {
  const everything = { from: 0, below: Number.MAX_SAFE_INTEGER };
  const holding = (one: WordQuery["all"][number]) =>
    documentsWith(db, "search_file_words", { all: [one] }, everything);
  const filesWithPhrase = (one: WordQuery["all"][number]) => sql`select file_id from ${holding(one)} as held
    cross join search_file_documents where search_file_documents.number = held.number`;
  const each = sql.join(all.map(filesWithPhrase), sql` intersect `);
  const without = none.map((one) => sql` except ${filesWithPhrase(one)}`);
  const files = await db.readWorker
    .selectFrom("search_file_documents")
    .where(isIn(db, "workspace_id", where.workspaceId))
    .whereRef("number", "=", "last_number")
    .where("number", ">=", range.from)
    .where("number", "<", range.below)
    .where("file_id", "in", sql<string>`(${each}${sql.join(without, sql``)})`)
    .where(sql<boolean>`exists (${messagesWithFile(db, where)})`)
    .select(["file_id as fileId", "last_number as lastNumber"])
    .orderBy("number", "desc")
    .limit(limit)
    .execute();
  if (files.length === 0) return [];
  const held = all.map((one) => sql`select number from ${holding(one)} as one`);
  const pieces = await db.readWorker
    .selectFrom(sql<{ number: number }>`(${sql.join(held, sql` union all `)})`.as("held"))
    .innerJoin("search_file_documents", "search_file_documents.number", "held.number")
    .where(
      "file_id",
      "in",
      files.map(({ fileId }) => fileId),
    )
    .select(["file_id", "search_file_documents.number", sql<number>`count(*)`.as("count")])
    .groupBy(["file_id", "search_file_documents.number"])
    .orderBy("count")
    .orderBy("search_file_documents.number")
    .execute();
  // The map keeps the last entry of a file: the piece with the most matches, and the first of those in the text.
  const best = new Map(pieces.map(({ file_id: id, number }) => [id, number]));
  return files.map((file) => ({ ...file, number: best.get(file.fileId) ?? file.lastNumber }));
}

export type FoundFile = {
  number: number;
  lastNumber: number;
  fileId: string;
  name: string;
  type: string | null;
  createdAt: number;
  threadId: string;
  title: string | null;
  archived: number;
  messageId: string;
  role: Role;
  /** The beginning of the message. */
  messageText: string;
  /** The matching piece. */
  text: string | null;
  page: number | null;
};

/** These pieces, each with the newest message that has its file. */
export async function findFiles(db: Database, where: FileFilter, numbers: number[]): Promise<FoundFile[]> {
  if (numbers.length === 0) return [];
  return await db.readWorker
    .selectFrom("search_file_documents")
    .innerJoin("files", "files.id", "search_file_documents.file_id")
    .leftJoin("file_texts", "file_texts.blob_key", "files.blob_key")
    .innerJoin("messages", (join) =>
      join.on(
        "messages.id",
        "=",
        sql<string>`(${messagesWithFile(db, where)} order by held.created_at desc, held.id desc limit 1)`,
      ),
    )
    .innerJoin("threads", "threads.id", "messages.thread_id")
    .where(
      "search_file_documents.number",
      "in",
      sql<number>`(select cast(value->>0 as bigint) from ${jsonElements(
        db,
        numbers.map((number) => [number]),
      )})`,
    )
    .where(isIn(db, "files.workspace_id", where.workspaceId))
    .select([
      "search_file_documents.number",
      "search_file_documents.last_number as lastNumber",
      "search_file_documents.file_id as fileId",
      "files.name",
      "files.type",
      "files.created_at as createdAt",
      "threads.id as threadId",
      "threads.title",
      "threads.archived",
      "messages.id as messageId",
      "messages.role",
      sql<string>`substr(messages.plain_text, 1, 1000)`.as("messageText"),
      "search_file_documents.page",
      sql<
        string | null
      >`substr(file_texts.text, search_file_documents.start + 1, search_file_documents.characters)`.as(
        "text",
      ),
    ])
    .orderBy("search_file_documents.number", "desc")
    .execute();
}

/**
 * The messages that have the file of a document, without threads in the trash and temporary ones. For members only what people attached: an
 * answer can have files of other threads, in results of tools that members do not get.
 */
export function messagesWithFile(
  db: Database,
  { workspaceId, archived, threadIds, forMember }: FileFilter,
): RawBuilder<unknown> {
  const among = threadIds === undefined ? sql`` : sql`and place.id in ${idsOf(db, threadIds)}`;
  const ofArchive = archived === undefined ? sql`` : sql`and place.archived = ${archived ? 1 : 0}`;
  const attached = forMember === true ? sql`and held.role = 'user'` : sql``;
  return sql`select held.id from file_claims as claim
    cross join messages as held cross join threads as place
    where claim.file_id = search_file_documents.file_id and held.id = claim.message_id
      and place.id = held.thread_id and ${isIn(db, "place.workspace_id", workspaceId)}
      and place.deleted_at is null and place.temporary_until is null ${among} ${ofArchive} ${attached}`;
}
