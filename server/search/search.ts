import type { QueryOf } from "#contract/api.ts";
import { limits } from "#contract/limits.ts";
import type { SearchResponse, SearchThreadsResponse, SearchHit } from "#contract/endpoints/search.ts";
import type { Database } from "#storage/database/database.ts";
import type { WordQuery } from "#storage/database/full-text.ts";
import type { Visitor } from "../lib/route.ts";
import { findFileDocuments } from "./files/find-files.ts";
import { findFiles, type FileDocument } from "./files/rows.ts";
import type { Indexer } from "./index-texts.ts";
import { planSearch, type Plan } from "./plan-search.ts";
import { charactersPerHit, presentFile, presentFileResult, presentHit, presentThread } from "./present.ts";
import { parseQuery } from "./query.ts";
import * as rows from "./rows.ts";
import { findHitsOf, findThreadsOfPage } from "./thread-hits.ts";

export type Search = {
  /** Titles, messages of all branches and attached files of this workspace, the newest first, without the trash. */
  find(visitor: Pick<Visitor, "workspaceId">, query: QueryOf<"search.find">): Promise<SearchResponse>;
  /** Like `find`, grouped by thread. */
  findThreads(
    visitor: Pick<Visitor, "workspaceId">,
    query: QueryOf<"search.threads">,
  ): Promise<SearchThreadsResponse>;
};

export function createSearch(options: { db: Database; indexer: Pick<Indexer, "catchUp"> }): Search {
  const { db } = options;
  return {
    async find({ workspaceId }, asked) {
      const { q, limit = limits.searchPage, after = Number.MAX_SAFE_INTEGER, time_zone = "UTC" } = asked;
      const query = parseQuery(q, time_zone);
      const planned = await planSearch(options, workspaceId, query, asked);
      if (planned === undefined) return { hits: [], next: null, ignored: query.ignored };
      const { wanted, where, searches } = planned;
      const range = { ...planned.range, below: Math.min(after, planned.range.below) };
      const [texts, files] = await Promise.all([
        searches.texts
          ? findTexts(db, wanted, range, { ...where, charactersMax: charactersPerHit, limit: limit + 1 })
          : [],
        searches.files ? findFileDocuments(db, where, wanted, range, limit + 1) : [],
      ]);
      const { page, next } = pageOf([...texts, ...files], limit);
      const shown = await presentFiles(db, planned, page.filter(isFile));
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
      const planned = await planSearch(options, workspaceId, query, asked);
      if (planned === undefined) return { results: [], next: null, ignored: query.ignored };
      const { wanted, range, where, searches } = planned;
      const hasPieces = where.kind !== "title" && (await rows.hasPieces(db, workspaceId));
      const documents = rows.matchingTexts(db, workspaceId, wanted, range, hasPieces);
      const before = { ...range, below: Math.min(after ?? range.below, range.below) };
      const [threads, files] = await Promise.all([
        searches.texts ? findThreadsOfPage(db, documents, where, { after, limit }) : [],
        searches.files ? findFileDocuments(db, where, wanted, before, limit + 1) : [],
      ]);
      const { page, next } = pageOf([...threads, ...files], limit);
      const shown = await presentFiles(db, planned, page.filter(isFile));
      const found = await findHitsOf(
        db,
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

/** A long message has several documents but is one hit: the words of the query may be in different ones. */
async function findTexts(
  db: Database,
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

/** The files by their document numbers, as hits. */
async function presentFiles(
  db: Database,
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
