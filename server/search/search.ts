import type { QueryOf } from "#contract/api.ts";
import { limits } from "#contract/limits.ts";
import type {
  SearchResponse,
  SearchThreadsResponse,
  SearchHit,
  SearchThread,
} from "#contract/endpoints/search.ts";
import type { Database } from "#storage/database/database.ts";
import type { WordQuery } from "#storage/database/full-text.ts";
import type { Visitor } from "../lib/route.ts";
import { findFileDocuments } from "./files/find-files.ts";
import { findFiles, type FileDocument } from "./files/rows.ts";
import { findTagNames } from "./labels/rows.ts";
import { planSearches, type Plan, type PlanOptions } from "./plan-search.ts";
import { charactersPerHit, presentFile, presentFileResult, presentHit, presentThread } from "./present.ts";
import { parseQuery } from "./query.ts";
import * as rows from "./rows.ts";
import { findHitsOf, findThreadsOfPage } from "./thread-hits.ts";

export type Search = {
  /**
   * Titles, messages of all branches and attached files of this workspace, and of threads that others share with the
   * visitor, the newest first, without the trash.
   */
  find(visitor: Visitor, query: QueryOf<"search.find">): Promise<SearchResponse>;
  /** Like `find`, grouped by thread. */
  findThreads(visitor: Visitor, query: QueryOf<"search.threads">): Promise<SearchThreadsResponse>;
};

export function createSearch(options: PlanOptions): Search {
  const { db } = options;

  async function findOfPlan(plan: Plan, after: number | undefined, limit: number) {
    const { wanted, where, searches } = plan;
    const range = { ...plan.range, below: Math.min(after ?? plan.range.below, plan.range.below) };
    const [texts, files] = await Promise.all([
      searches.texts
        ? findTexts(db, wanted, range, { ...where, charactersMax: charactersPerHit, limit: limit + 1 })
        : [],
      searches.files ? findFileDocuments(db, where, wanted, range, limit + 1) : [],
    ]);
    return [...texts, ...files].map((one) => ({ ...one, plan }));
  }

  async function findThreadsOfPlan(plan: Plan, after: number | undefined, limit: number) {
    const { wanted, range, where, searches } = plan;
    const hasPieces = where.kind !== "title" && (await rows.hasPieces(db, where.workspaceId));
    const documents = rows.matchingTexts(db, where.workspaceId, wanted, range, hasPieces);
    const before = { ...range, below: Math.min(after ?? range.below, range.below) };
    const [threads, files] = await Promise.all([
      searches.texts ? findThreadsOfPage(db, documents, where, { after, limit }) : [],
      searches.files ? findFileDocuments(db, where, wanted, before, limit + 1) : [],
    ]);
    return [...threads, ...files].map((one) => ({ ...one, plan, hasPieces }));
  }

  return {
    async find(visitor, asked) {
      const { q, limit = limits.searchPage, after, time_zone = "UTC" } = asked;
      const query = parseQuery(q, time_zone);
      const found = [];
      for (const plan of await planSearches(options, visitor, query, asked))
        found.push(...(await findOfPlan(plan, after, limit)));
      const { page, next } = pageOf(found, limit);
      const shown = new Map<number, SearchHit>();
      for (const [plan, ofPlan] of Map.groupBy(page, (one) => one.plan)) {
        const files = await presentFiles(db, plan, ofPlan.filter(isFile));
        const pieces = await rows.findPieces(
          db,
          plan.where.workspaceId,
          plan.wanted.all,
          ofPlan.flatMap((one) => ("isPieced" in one ? (one.message_id ?? []) : [])),
          charactersPerHit,
        );
        for (const [number, hit] of files) shown.set(number, hit);
        for (const one of ofPlan)
          if (!isFile(one)) {
            const text = pieces.get(one.message_id ?? "") ?? one.text;
            shown.set(one.number, presentHit({ ...one, text }, query.all, plan.sharedBy));
          }
      }
      return { hits: page.flatMap(({ number }) => shown.get(number) ?? []), next, ignored: query.ignored };
    },

    async findThreads(visitor, asked) {
      const { q, limit = limits.searchPage, after, time_zone = "UTC" } = asked;
      const query = parseQuery(q, time_zone);
      const all = [];
      for (const plan of await planSearches(options, visitor, query, asked))
        all.push(...(await findThreadsOfPlan(plan, after, limit)));
      const { page, next } = pageOf(all, limit);
      const shown = new Map<number, SearchThread>();
      for (const [plan, ofPlan] of Map.groupBy(page, (one) => one.plan)) {
        const files = await presentFiles(db, plan, ofPlan.filter(isFile));
        for (const [number, hit] of files) shown.set(number, presentFileResult(hit, query.all));
        const threads = ofPlan.flatMap((one) => (isFile(one) ? [] : one));
        const hits = await findHitsOf(db, threads, plan, ofPlan[0]?.hasPieces === true);
        const ownIds = threads.flatMap(({ thread_id: id }) => (plan.sharedBy(id) === null ? id : []));
        const tags = await findTagNames(db, ownIds);
        for (const one of threads) {
          const inThread = hits.get(one.thread_id) ?? { hits: [], matches: 0 };
          const found = { ...inThread, tags: tags.get(one.thread_id) ?? [] };
          shown.set(one.number, presentThread(one, found, query.all, plan.sharedBy));
        }
      }
      return { results: page.flatMap(({ number }) => shown.get(number) ?? []), next, ignored: query.ignored };
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
  { query, where, sharedBy }: Plan,
  documents: FileDocument[],
): Promise<Map<number, SearchHit>> {
  const files = await findFiles(
    db,
    where,
    documents.map(({ number }) => number),
  );
  return new Map(files.map((file) => [file.number, presentFile(file, query.all, sharedBy)]));
}

function isFile<One extends object>(found: One): found is Extract<One, FileDocument> {
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
