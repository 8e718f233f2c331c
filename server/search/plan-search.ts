import type { QueryOf } from "#contract/api.ts";
import type { Database } from "#storage/database/database.ts";
import type { WordQuery } from "#storage/database/full-text.ts";
import type { Visitor } from "../lib/route.ts";
import { numbersBetween } from "./document-numbers.ts";
import type { Indexer } from "./index-texts.ts";
import type { SharedBy } from "./present.ts";
import { hasCriteria, type Query } from "./query.ts";
import { findInFolder, findTagged } from "./labels/rows.ts";
import * as rows from "./rows.ts";
import { phrasesIn, type WorkspaceIds } from "./workspace-prefix.ts";

/** How long a search waits for new messages to be indexed. */
const catchUpMs = 150;
/** The most threads that `in:` may match. */
const threadsMax = 1_000;
/** Each word is looked up for each owner of shared threads, so only for the newest ones. */
const ownersMax = 50;

/** Where to search: the visitor's workspace, or the threads that others share with them, with the names of these owners. */
type SearchScope =
  | { workspaceId: string; shared?: undefined }
  | { workspaceId: WorkspaceIds; shared: ReadonlyMap<string, { name: string | null }> };

/** A query with what it means for the rows of a scope. */
export type Plan = {
  query: Query;
  wanted: WordQuery;
  range: { from: number; below: number };
  where: rows.DocumentFilter;
  searches: { texts: boolean; files: boolean };
  sharedBy: SharedBy;
};

/** A thread that somebody shares with the visitor. */
export type SharedThread = { thread_id: string; workspace_id: string; owner_name: string | null };

export type PlanOptions = {
  db: Database;
  indexer: Pick<Indexer, "catchUp">;
  sharedWith(visitor: Visitor): Promise<SharedThread[]>;
};

/** Plans a search of the own workspace, and one of shared threads, after new messages were indexed. Empty if nothing can match. */
export async function planSearches(
  { db, indexer, sharedWith }: PlanOptions,
  visitor: Visitor,
  query: Query,
  asked: QueryOf<"search.find">,
): Promise<Plan[]> {
  if (!hasCriteria(query)) return [];
  // The indexer logs its own failures. Texts that are indexed already are found.
  await indexer.catchUp(catchUpMs).catch(() => false);
  // Members do not see what the owner archived, so no shared thread is in the archive.
  const shared = query.archived === true ? [] : await sharedWith(visitor);
  const owners = [...new Set(shared.map((each) => each.workspace_id))].slice(0, ownersMax);
  const sharedThreads = new Map(
    shared
      .filter((each) => owners.includes(each.workspace_id))
      .map(({ thread_id: id, owner_name: name }) => [id, { name }]),
  );
  const scopes: SearchScope[] = [
    { workspaceId: visitor.workspaceId },
    ...(owners.length === 0 ? [] : [{ workspaceId: owners, shared: sharedThreads }]),
  ];
  const plans: Plan[] = [];
  for (const scope of scopes) {
    const plan = await planSearch(db, scope, query, asked);
    if (plan !== undefined) plans.push(plan);
  }
  return plans;
}

async function planSearch(
  db: Database,
  scope: SearchScope,
  query: Query,
  { kind, thread_id: threadId }: QueryOf<"search.find">,
): Promise<Plan | undefined> {
  const { workspaceId, shared } = scope;
  const threadIds = await findThreadsOfQuery(db, scope, query, threadId);
  if (threadIds?.length === 0) return undefined;
  return {
    query,
    wanted: {
      all: phrasesIn(workspaceId, query.all),
      none: phrasesIn(workspaceId, query.none),
    },
    range: numbersBetween(db, query),
    where: {
      workspaceId,
      kind: kind === "file" ? undefined : kind,
      archived: shared === undefined ? query.archived : undefined,
      threadIds,
      ...(shared === undefined ? {} : { forMember: true }),
    },
    searches: {
      texts: !query.inFiles && kind !== "file",
      files: kind === undefined || kind === "file",
    },
    sharedBy: (id) => shared?.get(id) ?? null,
  };
}

/**
 * The threads that the query is limited to, by their ids, `in:` a title or folder, or tags; `undefined` for all of the
 * workspace. Folders and tags of shared threads are their owner's alone.
 */
async function findThreadsOfQuery(
  db: Database,
  { workspaceId, shared }: SearchScope,
  { inTitle, inFolders, inThread, tags }: Query,
  threadId: string | undefined,
): Promise<string[] | undefined> {
  const named = [inThread, threadId].filter((id) => id !== undefined);
  if (named.length > 1 && named[0] !== named[1]) return [];
  const [only] = named;
  let threadIds =
    only === undefined
      ? shared && [...shared.keys()]
      : [only].filter((id) => shared === undefined || shared.has(id));
  if (shared !== undefined && tags.all.size > 0) return [];
  if (shared === undefined && tags.all.size + tags.none.size > 0)
    threadIds = await findTagged(db, workspaceId, { all: [...tags.all], none: [...tags.none] }, threadIds);
  if (inFolders.size === 0 || threadIds?.length === 0) return threadIds;
  // A thread is in one folder at most.
  const [folder] = inFolders.size === 1 ? inFolders : [];
  const sorted =
    shared !== undefined || folder === undefined
      ? []
      : await findInFolder(db, workspaceId, folder, threadIds);
  // A name without words is in no title.
  if (inTitle.length < inFolders.size) return sorted;
  const wanted = { all: phrasesIn(workspaceId, inTitle) };
  const range = { from: 0, below: Number.MAX_SAFE_INTEGER };
  const found = rows.matchingDocuments(db, "search_words", workspaceId, wanted, range);
  const titles = await rows.findDocuments(db, found, {
    workspaceId,
    kind: "title",
    archived: undefined,
    threadIds,
    ...(shared === undefined ? {} : { forMember: true }),
    charactersMax: 0,
    limit: threadsMax,
  });
  return [...titles.map(({ thread_id }) => thread_id), ...sorted];
}
