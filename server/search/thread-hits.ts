import { limits } from "#contract/limits.ts";
import type { SearchHit } from "#contract/endpoints/search.ts";
import type { Database } from "#storage/database/database.ts";
import type { RawBuilder } from "#storage/database/sql.ts";
import type { Plan } from "./plan-search.ts";
import { charactersPerHit, presentHit } from "./present.ts";
import * as rows from "./rows.ts";
import * as threadRows from "./thread-rows.ts";

/** How many hits are read at first for each thread of a page. They usually suffice. */
const hitsPerThread = 50;

/** The threads whose newest hit is before `after`, the newest first; more than `limit` if there are more. */
export async function findThreadsOfPage(
  db: Database,
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
export async function findHitsOf(
  db: Database,
  threads: threadRows.FoundThread[],
  { query, wanted, range, where: { workspaceId, kind, forMember }, sharedBy }: Plan,
  hasPieces: boolean,
): Promise<Map<string, { hits: SearchHit[]; matches: number }>> {
  if (kind === "title") return new Map();
  const threadIds = threads.map(({ thread_id: id }) => id);
  const found = await threadRows.findInThreads(
    db,
    (from) =>
      rows.matchingTexts(db, workspaceId, wanted, { ...range, from: Math.max(from, range.from) }, hasPieces),
    threadIds,
    limits.searchHitsPerThread,
    forMember,
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
            presentHit({ ...one, text: pieces.get(one.message_id ?? "") ?? one.text }, query.all, sharedBy),
          ),
        matches: found.find((one) => one.thread_id === id)?.matches ?? 0,
      },
    ]),
  );
}
