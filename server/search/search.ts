import type { QueryOf } from "#contract/api.ts";
import { limits } from "#contract/limits.ts";
import type { SearchFound, SearchHit } from "#contract/endpoints/search.ts";
import type { Database } from "#storage/database/database.ts";
import type { Phrase, WordQuery } from "#storage/database/full-text.ts";
import type { Visitor } from "../lib/route.ts";
import { excerptIn, excerptOf, marked } from "./excerpt.ts";
import { findFileDocuments } from "./files/find-files.ts";
import { findFiles, type FoundFile } from "./files/rows.ts";
import type { Indexer } from "./index-texts.ts";
import { isAsking, parseQuery, type Query } from "./query.ts";
import * as rows from "./rows.ts";
import { wantedInSpace } from "./workspace-prefix.ts";

/** How long a search waits for what was just said to be indexed; the rest is found a moment later. */
const catchUpMs = 150;
/** Threads that `in:` may mean at once. */
const threadsMax = 1_000;
/** What is read of each hit for its excerpt. */
const charactersPerHit = 100_000;

export type Search = {
  /** Titles, messages of all branches and attached files of this workspace, the trash left out, the newest first. */
  find(visitor: Pick<Visitor, "workspaceId">, query: QueryOf<"search.find">): Promise<SearchFound>;
};

export function createSearch(options: { db: Database; indexer: Pick<Indexer, "catchUp"> }): Search {
  const { db, indexer } = options;

  /** Threads whose titles have what `in:` says; undefined where it says nothing. */
  async function threadsMeant(
    workspaceId: string,
    { inTitle, inThread }: Query,
  ): Promise<string[] | undefined> {
    if (inTitle.length === 0) return inThread === undefined ? undefined : [inThread];
    const wanted = { all: wantedInSpace(workspaceId, inTitle) };
    const range = { from: 0, below: Number.MAX_SAFE_INTEGER };
    const found = rows.documentsWanted(db, "search_words", workspaceId, wanted, range);
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

  /** A long message is several documents, and one hit: what is looked for may stand in different ones. */
  async function findTexts(
    wanted: WordQuery,
    range: { from: number; below: number },
    filter: Parameters<typeof rows.findDocuments>[2],
  ): Promise<(rows.Found & { isPieced?: true })[]> {
    const { workspaceId } = filter;
    const hasPieces = filter.kind !== "title" && (await rows.hasPieces(db, workspaceId));
    const whole = hasPieces ? rows.butPieces(workspaceId, wanted) : wanted;
    const [found, pieced] = await Promise.all([
      rows.findDocuments(db, rows.documentsWanted(db, "search_words", workspaceId, whole, range), filter),
      hasPieces ? rows.findDocuments(db, rows.piecedWanted(db, workspaceId, wanted, range), filter) : [],
    ]);
    return [...found, ...pieced.map((one) => ({ ...one, isPieced: true as const }))];
  }

  return {
    async find({ workspaceId }, { q, kind, limit = limits.searchPage, after, time_zone = "UTC" }) {
      const query = parseQuery(q, time_zone);
      if (!isAsking(query)) return { hits: [], next: null, ignored: query.ignored };
      // What cannot be indexed just now is said by the indexer itself; what was indexed before is still found.
      await indexer.catchUp(catchUpMs).catch(() => false);
      const threadIds = await threadsMeant(workspaceId, query);
      if (threadIds?.length === 0) return { hits: [], next: null, ignored: query.ignored };
      const below = Math.min(
        after ?? Number.MAX_SAFE_INTEGER,
        query.before === undefined ? Number.MAX_SAFE_INTEGER : rows.numberAt(query.before),
      );
      const wanted = {
        all: wantedInSpace(workspaceId, query.all),
        none: wantedInSpace(workspaceId, query.none),
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

function presentHit(row: rows.Found, wanted: Phrase[]): SearchHit {
  return {
    thread_id: row.thread_id,
    message_id: row.message_id,
    role: row.role,
    file: null,
    title: row.title,
    is_archived: row.archived === 1,
    excerpt: excerptOf((row.message_id === null ? row.title : row.text) ?? "", wanted),
    created_at: new Date(row.created_at).toISOString(),
  };
}

function presentFile(file: FoundFile, wanted: Phrase[]): SearchHit {
  const text = file.text ?? "";
  const { excerpt, hitAt } = excerptIn(text, wanted);
  const pagesBefore = text.slice(0, hitAt ?? 0).split("\f").length - 1;
  return {
    thread_id: file.threadId,
    message_id: file.messageId,
    role: file.role,
    file: {
      id: file.fileId,
      name: file.name,
      type: file.type,
      marked_name: marked(file.name, wanted),
      page: file.page === null || hitAt === undefined ? null : file.page + pagesBefore,
    },
    title: file.title,
    is_archived: file.archived === 1,
    excerpt,
    created_at: new Date(file.createdAt).toISOString(),
  };
}
