import { limits } from "#contract/limits.ts";
import { newId } from "#contract/ids.ts";
import type { Database } from "#storage/database/database.ts";
import type { Clock } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import type { Visitor } from "../lib/route.ts";
import type { ThreadImport } from "../threads/import-threads.ts";
import type { Threads } from "../threads/threads.ts";
import { authorsOfRows, type AuthorsOf } from "./authors.ts";
import { withoutLeases } from "./client-leases/without-leases.ts";
import type { MessageImport } from "./import-messages.ts";
import { insertCopy } from "./insert-copy.ts";
import { findMessage, type MessageRow } from "./rows.ts";
import { listAncestors } from "./tree-rows.ts";

export type CopyBranch = ReturnType<typeof createCopyBranch>;

/** Copies the branch that ends in a message into a new thread, to continue there. */
export function createCopyBranch(options: {
  db: Database;
  clock: Clock;
  threads: Pick<Threads, "get">;
  authorsOf: AuthorsOf;
  threadImport: ThreadImport;
  messageImport: MessageImport;
}) {
  const { db, clock, threads, authorsOf } = options;

  /**
   * Returns the id of the new thread. An answer that is still being written is left out, and of a branch that is longer
   * than copies may be, what is above the last messages. Throws `thread-not-found`, `thread-temporary`, `message-not-found` and `quota-full`.
   */
  return async function copyBranch(
    visitor: Visitor,
    { threadId, messageId, title }: { threadId: string; messageId: string; title?: string | undefined },
  ): Promise<string> {
    const thread = await threads.get(visitor, threadId);
    if (thread.temporary_until !== null) throw new AppError("thread-temporary");
    if ((await findMessage(db.read, threadId, messageId)) === undefined)
      throw new AppError("message-not-found");
    const range = { limit: limits.copiedMessagesMax, charactersMax: limits.copiedCharactersMax };
    const branch = (await listAncestors(db.read, threadId, messageId, range)).rows.toReversed();
    const found = await withoutLeases({ engine: db.engine, q: db.read }, branch.filter(isEnded));
    if (found.length === 0) throw new AppError("message-not-found");
    const authors = await authorsOfRows(authorsOf, visitor.appId, found);
    const nowMs = clock.now();
    const copyId = newId("thread", nowMs);
    let parentId: string | null = null;
    const copies = found.map((row): MessageRow => {
      const id = newId("message", nowMs);
      // The copy belongs to no comparison.
      const { comparison_id: _, ...author } = authors.get(row.id) ?? {};
      const copy = {
        ...row,
        id,
        thread_id: copyId,
        parent_id: parentId,
        external_id: null,
        run_id: null,
        made_by: authors.has(row.id) ? JSON.stringify(author) : null,
        created_by: visitor.userId,
      };
      parentId = id;
      return copy;
    });
    const copy = {
      id: copyId,
      title: title ?? thread.title,
      assistantId: thread.assistant_id,
      model: thread.model,
      localOnly: thread.local_only,
      nowMs,
    };
    await db.write(async (tx) => await insertCopy(tx, options, visitor, copy, copies));
    return copyId;
  };
}

/** An answer that is being written, or that waits for a person, belongs to its run. */
function isEnded({ status }: MessageRow): boolean {
  return status !== "running" && status !== "requires-action";
}
