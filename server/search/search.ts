import type { QueryOf } from "#contract/api.ts";
import { limits } from "#contract/limits.ts";
import type { SearchResponse, SearchHit } from "#contract/endpoints/search.ts";
import type { Database } from "#storage/database/database.ts";
import type { Phrase, WordQuery } from "#storage/database/full-text.ts";
import type { Visitor } from "../lib/route.ts";
import { excerptWithPosition, excerptOf, markHits } from "./excerpt.ts";
import { findFileDocuments } from "./files/find-files.ts";
import { findFiles, type FoundFile } from "./files/rows.ts";
import type { Indexer } from "./index-texts.ts";
import { hasCriteria, parseQuery, type Query } from "./query.ts";
import * as rows from "./rows.ts";
import { prefixPhrases } from "./workspace-prefix.ts";

/** How long a search waits for new messages to be indexed. */
const catchUpMs = 150;
/** The most threads that `in:` may match. */
const threadsMax = 1_000;
/** How much text of each hit is read for its excerpt. */
const charactersPerHit = 100_000;

export type Search = {
  /** Titles, messages of all branches and attached files of this workspace, the newest first, without the trash. */
  find(visitor: Pick<Visitor, "workspaceId">, query: QueryOf<"search.find">): Promise<SearchResponse>;
};

export function createSearch(options: { db: Database; indexer: Pick<Indexer, "catchUp"> }): Search {
  const { db, indexer } = options;

  /** The threads whose titles match `in:`; `undefined` without that filter. */
  async function findThreadsForFilter(
    workspaceId: string,
    { inTitle, inThread }: Query,
  ): Promise<string[] | undefined> {
    if (inTitle.length === 0) return inThread === undefined ? undefined : [inThread];
    const wanted = { all: prefixPhrases(workspaceId, inTitle) };
    const range = { from: 0, below: Number.MAX_SAFE_INTEGER };
    const found = rows.matchingDocuments(db, "search_words", workspaceId, wanted, range);
    const titles = await rows.findDocuments(db, found, {
      workspaceId,
      kind: "title",
      archived: undefined,
      threadIds: inThread === undefined ? undefined : [inThread],
      charactersMax: 0,
      limit: threadsMax,
    });
    return titles.map(({ thread_id }) => thread_id);
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

  return {
    async find({ workspaceId }, { q, kind, limit = limits.searchPage, after, time_zone = "UTC" }) {
      const query = parseQuery(q, time_zone);
      if (!hasCriteria(query)) return { hits: [], next: null, ignored: query.ignored };
      // The indexer logs its own failures. Texts that are indexed already are found.
      await indexer.catchUp(catchUpMs).catch(() => false);
      const threadIds = await findThreadsForFilter(workspaceId, query);
      if (threadIds?.length === 0) return { hits: [], next: null, ignored: query.ignored };
      const below = Math.min(
        after ?? Number.MAX_SAFE_INTEGER,
        query.before === undefined ? Number.MAX_SAFE_INTEGER : rows.numberAt(query.before),
      );
      const wanted = {
        all: prefixPhrases(workspaceId, query.all),
        none: prefixPhrases(workspaceId, query.none),
      };
      const range = { from: query.after === undefined ? 0 : rows.numberAt(query.after), below };
      const where = { workspaceId, archived: query.archived, threadIds };
      const [texts, files] = await Promise.all([
        query.inFiles || kind === "file"
          ? []
          : findTexts(wanted, range, { ...where, kind, charactersMax: charactersPerHit, limit: limit + 1 }),
        kind === undefined || kind === "file" ? findFileDocuments(db, where, wanted, range, limit + 1) : [],
      ]);
      const found = [...texts, ...files].toSorted((a, b) => b.number - a.number);
      const page = found.slice(0, limit);
      const shown = new Map(
        (
          await findFiles(
            db,
            where,
            page.flatMap((one) => ("fileId" in one ? [one.number] : [])),
          )
        ).map((file) => [file.number, file]),
      );
      const pieces = await rows.findPieces(
        db,
        workspaceId,
        wanted.all,
        page.flatMap((one) => ("isPieced" in one ? (one.message_id ?? []) : [])),
        charactersPerHit,
      );
      const last = page.at(-1);
      return {
        hits: page.flatMap((one) => {
          if ("fileId" in one) {
            const file = shown.get(one.number);
            return file === undefined ? [] : [presentFile(file, query.all)];
          }
          return [presentHit({ ...one, text: pieces.get(one.message_id ?? "") ?? one.text }, query.all)];
        }),
        next:
          found.length > limit && last !== undefined
            ? String("fileId" in last ? last.lastNumber : last.number)
            : null,
        ignored: query.ignored,
      };
    },
  };
}

function presentHit(row: rows.Found, phrases: Phrase[]): SearchHit {
  return {
    thread_id: row.thread_id,
    message_id: row.message_id,
    role: row.role,
    file: null,
    title: row.title,
    is_archived: row.archived === 1,
    excerpt: excerptOf((row.message_id === null ? row.title : row.text) ?? "", phrases),
    created_at: new Date(row.created_at).toISOString(),
  };
}

function presentFile(file: FoundFile, phrases: Phrase[]): SearchHit {
  const text = file.text ?? "";
  const { excerpt, hitAt } = excerptWithPosition(text, phrases);
  const pagesBefore = text.slice(0, hitAt ?? 0).split("\f").length - 1;
  return {
    thread_id: file.threadId,
    message_id: file.messageId,
    role: file.role,
    file: {
      id: file.fileId,
      name: file.name,
      type: file.type,
      marked_name: markHits(file.name, phrases),
      page: file.page === null || hitAt === undefined ? null : file.page + pagesBefore,
    },
    title: file.title,
    is_archived: file.archived === 1,
    excerpt,
    created_at: new Date(file.createdAt).toISOString(),
  };
}
