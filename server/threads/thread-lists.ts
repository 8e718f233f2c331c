import type { QueryOf } from "#contract/api.ts";
import type { Thread } from "#contract/endpoints/threads.ts";
import { limits } from "#contract/limits.ts";
import type { Database } from "#storage/database/database.ts";
import type { AppKey } from "../lib/route.ts";
import { listName, type Bookmarks } from "./bookmarks.ts";
import { presentThread } from "./present.ts";
import * as rows from "./rows.ts";
import type { ThreadScope } from "./thread-scope.ts";

type ListQuery = QueryOf<"threads.list"> & { created_by?: string | undefined };

/** Lists of threads, page by page. */
export function createThreadLists({ db, bookmarks }: { db: Database; bookmarks: Bookmarks }) {
  /** A page of threads. `reader` separates the bookmarks of different readers of the same list. */
  async function listPage(scope: rows.Scope, reader: string, query: ListQuery): Promise<Thread[]> {
    const archived = query.is_archived ?? false;
    const list = listName(scope.of, scope.id, reader, archived, query.external_id);
    const limit = query.limit ?? limits.threadPage;
    const after = query.after === undefined ? undefined : await positionOf(scope, list, query.after);
    const page = await rows.listThreads(db, {
      scope,
      archived,
      externalId: query.external_id,
      createdBy: query.created_by,
      pinned: query.is_pinned,
      folderId: query.folder_id,
      inFolder: query.in_folder,
      tagId: query.tag_id,
      after,
      limit,
    });
    if (page.length === limit)
      bookmarks.save(
        list,
        page.map((row) => ({ id: row.id, position: row.last_message_at })),
      );
    return page.map((row) => presentThread(row));
  }

  /**
   * The cursor's position when its page was served, even if the thread was archived, deleted or moved since. Without a
   * bookmark, its present position; `undefined`, so the list starts again, if there is no such thread.
   */
  async function positionOf(
    scope: rows.Scope,
    list: string,
    id: string,
  ): Promise<rows.ThreadPosition | undefined> {
    const served = await bookmarks.find(list, id);
    if (served !== undefined) return { lastMessageAt: served, id };
    const row = await rows.findThreadIn(db.read, scope, id);
    return row === undefined ? undefined : { lastMessageAt: row.last_message_at, id };
  }

  return {
    list: async (scope: ThreadScope, query: QueryOf<"threads.list">): Promise<Thread[]> =>
      await listPage({ of: "workspace_id", id: scope.workspaceId }, scope.userId ?? "", query),
    /** Like `list`, for all workspaces of the key's app. */
    listOfApp: async (key: AppKey, query: ListQuery) =>
      await listPage({ of: "app_id", id: key.appId }, key.credentialId, query),

    /** Every thread of the workspace, archived and deleted ones included, oldest first. */
    async *readAll(scope: ThreadScope): AsyncGenerator<Thread> {
      const ids = await rows.listThreadIds(db, scope.workspaceId);
      for (let from = 0; from < ids.length; from += limits.threadPageMax) {
        const page = ids.slice(from, from + limits.threadPageMax);
        const found = await rows.findThreadsByIds(db, scope.workspaceId, page);
        for (const id of page) if (found.has(id)) yield presentThread(found.get(id)!);
      }
    },
  };
}
