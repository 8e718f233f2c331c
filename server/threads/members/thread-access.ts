import type { MemberAccess } from "#contract/endpoints/thread-members.ts";
import type { Database } from "#storage/database/database.ts";
import { AppError } from "../../lib/errors.ts";
import { isOwnUser, type Visitor } from "../../lib/route.ts";
import * as rows from "./rows.ts";

/** A revoked member loses what they have open within a second. */
const recheckMs = 900;

/** A stream of a thread that a member reads. */
type OpenStream = { place: rows.MemberPlace; lost: AbortController };

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
  const open = new Set<OpenStream>();
  let timer: NodeJS.Timeout | undefined;
  let isChecking = false;

  /** Asks once for all open streams together. */
  async function checkOpen(): Promise<void> {
    if (isChecking) return;
    isChecking = true;
    const streams = [...open];
    try {
      const places = streams.map(({ place }) => place);
      const isReadable = await rows.findReadable({ engine: db.engine, q: db.read }, places);
      for (const { place, lost } of streams)
        if (!isReadable(place)) lost.abort(new Error("no longer shared"));
    } catch {
      // While the database is unavailable, members keep what they have.
    } finally {
      isChecking = false;
    }
  }

  return {
    /**
     * The visitor as they act on this part of a thread, with `sharedThreadId` if somebody else shares it with them. Throws `thread-read-only` for a member who may only read and
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
        sharedThreadId: shared.id,
      };
    },

    /** The newest threads that others share with the visitor. */
    sharedWith: async (visitor: Visitor): Promise<rows.SharedWith[]> =>
      mayBeMember(visitor) ? await rows.listSharedWith(db, visitor) : [],

    /** The events, during which `lost` is aborted once the visitor may no longer read this thread of somebody else. */
    async *whileShared<Event>(
      { userId, workspaceId }: Visitor,
      threadId: string,
      events: AsyncIterable<Event>,
      lost: AbortController,
    ): AsyncGenerator<Event> {
      const stream = { place: { userId, workspaceId, threadId }, lost };
      open.add(stream);
      timer ??= setInterval(() => void checkOpen(), recheckMs).unref();
      try {
        yield* events;
      } finally {
        open.delete(stream);
        if (open.size === 0) {
          clearInterval(timer);
          timer = undefined;
        }
      }
    },
  };
}
