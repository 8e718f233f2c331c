import type { QueryOf } from "#contract/api.ts";
import { limits } from "#contract/limits.ts";
import type { SearchResponse, SearchThreadsResponse, SearchHit } from "#contract/endpoints/search.ts";
import type { Database } from "#storage/database/database.ts";
import type { WordQuery } from "#storage/database/full-text.ts";
import type { RawBuilder } from "#storage/database/sql.ts";
import type { Visitor } from "../lib/route.ts";
import { numbersBetween } from "./document-numbers.ts";
import { findFileDocuments } from "./files/find-files.ts";
import { findFiles, type FileDocument } from "./files/rows.ts";
import type { Indexer } from "./index-texts.ts";
import { presentFile, presentFileResult, presentHit, presentThread } from "./present.ts";
import { hasCriteria, parseQuery, type Query } from "./query.ts";
import * as rows from "./rows.ts";
import * as threadRows from "./thread-rows.ts";
import { prefixPhrases } from "./workspace-prefix.ts";

/** How long a search waits for new messages to be indexed. */
const catchUpMs = 150;
/** The most threads that `in:` may match. */
const threadsMax = 1_000;
/** How much text of each hit is read for its excerpt. */
const charactersPerHit = 100_000;
/** How many hits are read at first for each thread of a page. They usually suffice. */
const hitsPerThread = 50;

export type Search = {
  /** Titles, messages of all branches and attached files of this workspace, the newest first, without the trash. */
  find(visitor: Pick<Visitor, "workspaceId">, query: QueryOf<"search.find">): Promise<SearchResponse>;
  /** The same by thread. */
  findThreads(
    visitor: Pick<Visitor, "workspaceId">,
    query: QueryOf<"search.threads">,
  ): Promise<SearchThreadsResponse>;
};

/** A query with what it means for the rows. */
type Plan = {
  query: Query;
  wanted: WordQuery;
  range: { from: number; below: number };
  where: rows.DocumentFilter;
  searches: { texts: boolean; files: boolean };
};

export function createSearch(options: { db: Database; indexer: Pick<Indexer, "catchUp"> }): Search {
  const { db, indexer } = options;

  /** The threads whose titles match `in:`; `undefined` without that filter. */
  async function findThreadsForFilter(
    workspaceId: string,
    { inTitle, inThread }: Query,
    threadId: string | undefined,
  ): Promise<string[] | undefined> {
    const named = [inThread, threadId].filter((id) => id !== undefined);
    if (named.length > 1 && named[0] !== named[1]) return [];
    const threadIds = named.length === 0 ? undefined : named.slice(0, 1);
    if (inTitle.length === 0) return threadIds;
    const wanted = { all: prefixPhrases(workspaceId, inTitle) };
    const range = { from: 0, below: Number.MAX_SAFE_INTEGER };
    const found = rows.matchingDocuments(db, "search_words", workspaceId, wanted, range);
    const titles = await rows.findDocuments(db, found, {
      workspaceId,
      kind: "title",
      archived: undefined,
      threadIds,
      charactersMax: 0,
      limit: threadsMax,
    });
    return titles.map(({ thread_id }) => thread_id);
  }

  /** `undefined` if nothing can match. */
  async function plan(
    workspaceId: string,
    query: Query,
    { kind, thread_id: threadId }: QueryOf<"search.find">,
  ): Promise<Plan | undefined> {
    if (!hasCriteria(query)) return undefined;
    // The indexer logs its own failures. Texts that are indexed already are found.
    await indexer.catchUp(catchUpMs).catch(() => false);
    const threadIds = await findThreadsForFilter(workspaceId, query, threadId);
    if (threadIds?.length === 0) return undefined;
    return {
      query,
      wanted: {
        all: prefixPhrases(workspaceId, query.all),
        none: prefixPhrases(workspaceId, query.none),
      },
      range: numbersBetween(db, query),
      where: {
        workspaceId,
        kind: kind === "file" ? undefined : kind,
        archived: query.archived,
        threadIds,
      },
      searches: {
        texts: !query.inFiles && kind !== "file",
        files: kind === undefined || kind === "file",
      },
    };
  }

  /** A long message has several documents but is one hit: the words of the query may be in different ones. */
  async function findTexts(
    wanted: WordQuery,
    range: { from: number; below: number },
    filter: Parameters<typeof rows.findDocuments>[2],
  ): Promise<(rows.Found & { isPieced?: true })[]> {
    const { workspaceId } = filter;
    const hasPieces = filter.kind !== "title" && (await rows.hasPieces(db, workspaceId));
    const whole = hasPieces ? rows.withoutPieces(workspaceId, wanted) : wanted;
    const [found, pieced] = await Promise.all([
      rows.findDocuments(db, rows.matchingDocuments(db, "search_words", workspaceId, whole, range), filter),
      hasPieces
        ? rows.findDocuments(db, rows.matchingPiecedMessages(db, workspaceId, wanted, range), filter)
        : [],
    ]);
    return [...found, ...pieced.map((one) => ({ ...one, isPieced: true as const }))];
  }

  /** The threads whose newest hit is before `after`, the newest first; more than `limit` if there are more. */
  async function findThreadsOfPage(
    documents: RawBuilder<{ number: number }>,
    filter: rows.DocumentFilter,
    { after = Number.MAX_SAFE_INTEGER, limit }: { after: number | undefined; limit: number },
  ): Promise<threadRows.FoundThread[]> {
    for (let hitsMax = hitsPerThread * limit; ; hitsMax *= 20) {
      const threads = await threadRows.findThreads(db, documents, filter, hitsMax);
      const hits = threads.reduce((sum, thread) => sum + thread.documents, 0);
      const older = threads.filter(({ number }) => number < after);
      if (older.length > limit || hits < hitsMax) return older.slice(0, limit + 1);
    }
  }

  /** The newest hits of each of these threads, and how many messages match in it. */
  async function findHitsOf(
    threads: threadRows.FoundThread[],
    { query, wanted, range, where: { workspaceId, kind } }: Plan,
    hasPieces: boolean,
  ): Promise<Map<string, { hits: SearchHit[]; matches: number }>> {
    if (kind === "title") return new Map();
    const threadIds = threads.map(({ thread_id: id }) => id);
    const found = await threadRows.findInThreads(
      db,
      (from) =>
        rows.matchingTexts(
          db,
          workspaceId,
          wanted,
          { ...range, from: Math.max(from, range.from) },
          hasPieces,
        ),
      threadIds,
      limits.searchHitsPerThread,
    );
    const documents = await rows.findDocuments(
      db,
      rows.theseDocuments(
        db,
        found.map(({ number }) => number),
      ),
      {
        workspaceId,
        kind: undefined,
        archived: undefined,
        threadIds: undefined,
        charactersMax: charactersPerHit,
        limit: found.length,
      },
    );
    const ids = documents.flatMap(({ message_id: id }) => id ?? []);
    const pieces = hasPieces
      ? await rows.findPieces(db, workspaceId, wanted.all, ids, charactersPerHit)
      : new Map<string, string>();
    return new Map(
      threadIds.map((id) => [
        id,
        {
          hits: documents
            .filter((one) => one.thread_id === id)
            .map((one) =>
              presentHit({ ...one, text: pieces.get(one.message_id ?? "") ?? one.text }, query.all),
            ),
          matches: found.find((one) => one.thread_id === id)?.matches ?? 0,
        },
      ]),
    );
  }

  /** The files by their document numbers, as hits. */
  async function presentFiles(
    { query, where }: Plan,
    documents: FileDocument[],
  ): Promise<Map<number, SearchHit>> {
    const files = await findFiles(
      db,
      where,
      documents.map(({ number }) => number),
    );
    return new Map(files.map((file) => [file.number, presentFile(file, query.all)]));
  }

  return {
    async find({ workspaceId }, asked) {
      const { q, limit = limits.searchPage, after = Number.MAX_SAFE_INTEGER, time_zone = "UTC" } = asked;
      const query = parseQuery(q, time_zone);
      const planned = await plan(workspaceId, query, asked);
      if (planned === undefined) return { hits: [], next: null, ignored: query.ignored };
      const { wanted, where, searches } = planned;
      const range = { ...planned.range, below: Math.min(after, planned.range.below) };
      const [texts, files] = await Promise.all([
        searches.texts
          ? findTexts(wanted, range, { ...where, charactersMax: charactersPerHit, limit: limit + 1 })
          : [],
        searches.files ? findFileDocuments(db, where, wanted, range, limit + 1) : [],
      ]);
      const { page, next } = pageOf([...texts, ...files], limit);
      const shown = await presentFiles(planned, page.filter(isFile));
      const pieces = await rows.findPieces(
        db,
        workspaceId,
        wanted.all,
        page.flatMap((one) => ("isPieced" in one ? (one.message_id ?? []) : [])),
        charactersPerHit,
      );
      return {
        hits: page.flatMap((one) =>
          isFile(one)
            ? (shown.get(one.number) ?? [])
            : presentHit({ ...one, text: pieces.get(one.message_id ?? "") ?? one.text }, query.all),
        ),
        next,
        ignored: query.ignored,
      };
    },

    async findThreads({ workspaceId }, asked) {
      const { q, limit = limits.searchPage, after, time_zone = "UTC" } = asked;
      const query = parseQuery(q, time_zone);
      const planned = await plan(workspaceId, query, asked);
      if (planned === undefined) return { results: [], next: null, ignored: query.ignored };
      const { wanted, range, where, searches } = planned;
      const hasPieces = where.kind !== "title" && (await rows.hasPieces(db, workspaceId));
      const documents = rows.matchingTexts(db, workspaceId, wanted, range, hasPieces);
      const before = { ...range, below: Math.min(after ?? range.below, range.below) };
      const [threads, files] = await Promise.all([
        searches.texts ? findThreadsOfPage(documents, where, { after, limit }) : [],
        searches.files ? findFileDocuments(db, where, wanted, before, limit + 1) : [],
      ]);
      const { page, next } = pageOf([...threads, ...files], limit);
      const shown = await presentFiles(planned, page.filter(isFile));
      const found = await findHitsOf(
        page.flatMap((one) => (isFile(one) ? [] : one)),
        planned,
        hasPieces,
      );
      return {
        results: page.flatMap((one) => {
          if (!isFile(one))
            return presentThread(one, found.get(one.thread_id) ?? { hits: [], matches: 0 }, query.all);
          const hit = shown.get(one.number);
          return hit === undefined ? [] : presentFileResult(hit, query.all);
        }),
        next,
        ignored: query.ignored,
      };
    },
  };
}

function isFile(found: FileDocument | { thread_id: string }): found is FileDocument {
  return "fileId" in found;
}

/** The newest `limit` of these, and the cursor of the next page. */
function pageOf<One extends { number: number } | FileDocument>(
  found: One[],
  limit: number,
): { page: One[]; next: string | null } {
  const page = found.toSorted((a, b) => b.number - a.number).slice(0, limit);
  const last = page.at(-1);
  if (found.length <= limit || last === undefined) return { page, next: null };
  return { page, next: String("lastNumber" in last ? last.lastNumber : last.number) };
}
