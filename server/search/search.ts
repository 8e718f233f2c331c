import type { QueryOf } from "#contract/api.ts";
import { limits } from "#contract/limits.ts";
import type { SearchFound, SearchHit } from "#contract/search.ts";
import type { Database } from "#storage/sql/database.ts";
import type { Wanted } from "#storage/sql/full-text.ts";
import type { Visitor } from "../route.ts";
import { excerptOf } from "./excerpt.ts";
import type { Indexer } from "./index-texts.ts";
import { parseQuery, type Query } from "./query.ts";
import * as rows from "./rows.ts";
import { inSpace } from "./space.ts";

/** How long a search waits for what was just said to be indexed; the rest is found a moment later. */
const catchUpMs = 150;
/** Threads that `in:` may mean at once. */
const threadsMax = 1_000;
/** What is read of each hit for its excerpt. */
const charactersPerHit = 100_000;

export type Search = {
  /** Titles and messages of all branches of this workspace, the trash left out, the newest first. */
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
    const titles = await rows.findDocuments(
      db,
      workspaceId,
      { all: spaced(workspaceId, inTitle) },
      {
        range: { from: 0, below: Number.MAX_SAFE_INTEGER },
        kind: "title",
        archived: undefined,
        threadIds: inThread === undefined ? undefined : [inThread],
        charactersMax: 0,
        limit: threadsMax,
      },
    );
    return titles.map(({ thread_id }) => thread_id);
  }

  return {
    async find({ workspaceId }, { q, kind, limit = limits.searchPage, after, time_zone = "UTC" }) {
      const query = parseQuery(q, time_zone);
      if (query.all.length === 0) return { hits: [], next: null, ignored: query.ignored };
      // What cannot be indexed just now is said by the indexer itself; what was indexed before is still found.
      await indexer.catchUp(catchUpMs).catch(() => false);
      const threadIds = await threadsMeant(workspaceId, query);
      const below = Math.min(
        after ?? Number.MAX_SAFE_INTEGER,
        query.before === undefined ? Number.MAX_SAFE_INTEGER : rows.numberAt(query.before),
      );
      const wanted = { all: spaced(workspaceId, query.all), none: spaced(workspaceId, query.none) };
      const found = await rows.findDocuments(db, workspaceId, wanted, {
        range: { from: query.after === undefined ? 0 : rows.numberAt(query.after), below },
        kind,
        archived: query.archived,
        threadIds,
        charactersMax: charactersPerHit,
        limit: limit + 1,
      });
      const page = found.slice(0, limit);
      return {
        // A long message is several documents, and one hit.
        hits: page
          .filter((row, index) => row.message_id === null || row.message_id !== page[index - 1]?.message_id)
          .map((row) => presentHit(row, query.all)),
        next: found.length > limit ? String(page.at(-1)!.number) : null,
        ignored: query.ignored,
      };
    },
  };
}

function presentHit(row: rows.Found, wanted: Wanted[]): SearchHit {
  return {
    thread_id: row.thread_id,
    message_id: row.message_id,
    role: row.role,
    title: row.title,
    is_archived: row.archived === 1,
    excerpt: excerptOf((row.message_id === null ? row.title : row.text) ?? "", wanted),
    created_at: new Date(row.created_at).toISOString(),
  };
}

function spaced(workspaceId: string, wanted: Wanted[]): Wanted[] {
  return wanted.map((one) => ({ ...one, words: one.words.map((word) => inSpace(workspaceId, word)) }));
}
