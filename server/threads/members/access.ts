import type { MemberAccess } from "#contract/endpoints/thread-members.ts";
import type { Database } from "#storage/database/database.ts";
import { AppError } from "../../lib/errors.ts";
import { isOwnUser, type Visitor } from "../../lib/route.ts";
import * as rows from "./rows.ts";

/** A revoked member loses what they have open within a second. */
const recheckMs = 900;

export type ThreadAccess = ReturnType<typeof createThreadAccess>;

/**
 * Lets people into the threads that others share with them. There is one rule: the member's request acts in the workspace
 * of the thread, under the member's own user id, and only for endpoints whose `members` allows it. So every module answers
 * it as it answers the owner, and counts it for the member. For everybody else the visitor stays as they are, and the
 * modules find no such thread.
 */
export function createThreadAccess({ db }: { db: Database }) {
  const mayBeMember = (visitor: Visitor): boolean =>
    visitor.isInWebApp === true && isOwnUser(visitor) && visitor.role !== "guest";

  return {
    /**
     * The visitor as they act on this part of a thread. Throws `thread-read-only` for a member who may only read and
     * `needed` is `write`.
     */
    async actOn(visitor: Visitor, part: rows.ThreadPart, needed: MemberAccess): Promise<Visitor> {
      if (!mayBeMember(visitor) || Object.keys(part).length === 0) return visitor;
      const shared = await rows.findSharedThread(db.read, visitor, part);
      if (shared === undefined) return visitor;
      if (needed === "write" && shared.access === "read") throw new AppError("thread-read-only");
      return {
        ...visitor,
        workspaceId: shared.workspace_id,
        workspaceName: shared.workspace_name,
        memberAccess: shared.access,
      };
    },

    /** The newest threads that others share with the visitor. */
    sharedWith: async (visitor: Visitor): Promise<rows.SharedWith[]> =>
      mayBeMember(visitor) ? await rows.listSharedWith(db, visitor) : [],

    /** The events, during which `lost` is aborted once the visitor may no longer read this part. */
    async *whileShared<Event>(
      visitor: Visitor,
      part: rows.ThreadPart,
      events: AsyncIterable<Event>,
      lost: AbortController,
    ): AsyncGenerator<Event> {
      const timer = setInterval(() => {
        void rows
          .findSharedThread(db.read, visitor, part)
          // While the database is unavailable, members keep what they have.
          .catch(() => "unknown")
          .then((found) => {
            if (found === undefined) lost.abort(new Error("no longer shared"));
          });
      }, recheckMs);
      timer.unref();
      try {
        yield* events;
      } finally {
        clearInterval(timer);
      }
    },
  };
}
