import type { QueryOf } from "#contract/api.ts";
import type { Database } from "#storage/database/database.ts";
import type { WordQuery } from "#storage/database/full-text.ts";
import { numbersBetween } from "./document-numbers.ts";
import type { Indexer } from "./index-texts.ts";
import { hasCriteria, type Query } from "./query.ts";
import * as rows from "./rows.ts";
import { prefixPhrases } from "./workspace-prefix.ts";

/** How long a search waits for new messages to be indexed. */
const catchUpMs = 150;
/** The most threads that `in:` may match. */
const threadsMax = 1_000;

/** A query with what it means for the rows. */
export type Plan = {
  query: Query;
  wanted: WordQuery;
  range: { from: number; below: number };
  where: rows.DocumentFilter;
  searches: { texts: boolean; files: boolean };
};

/** Plans a search after new messages were indexed. Returns `undefined` if nothing can match. */
export async function planSearch(
  { db, indexer }: { db: Database; indexer: Pick<Indexer, "catchUp"> },
  workspaceId: string,
  query: Query,
  { kind, thread_id: threadId }: QueryOf<"search.find">,
): Promise<Plan | undefined> {
  if (!hasCriteria(query)) return undefined;
  // The indexer logs its own failures. Texts that are indexed already are found.
  await indexer.catchUp(catchUpMs).catch(() => false);
  const threadIds = await findThreadsOfQuery(db, workspaceId, query, threadId);
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

/** The threads that the query is limited to, by their ids or by `in:` a title; `undefined` for all. */
async function findThreadsOfQuery(
  db: Database,
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
