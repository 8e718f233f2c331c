import type { Database, Tx } from "#storage/database/database.ts";
import { AppError } from "../lib/errors.ts";
import type { Live } from "../live/live.ts";
import type { Visitor } from "../lib/route.ts";
import { presentThread } from "./present.ts";
import * as rows from "./rows.ts";

/** Threads that move from an anonymous visitor to the account that the visitor signed in to. */
export type ThreadMove = {
  threadIds: string[];
  from: { workspaceId: string; userId: string };
  to: { appId: string; workspaceId: string; userId: string };
};

/** Updates another module's rows of threads that move. The threads are locked, and in their new workspace already. */
export type MoveHook = (tx: Tx, move: ThreadMove) => Promise<void>;

export type Claims = {
  /**
   * Moves every thread of the anonymous visitor behind `refreshToken`, with everything that belongs to it, to the
   * workspace that `visitor` acts in. Ids, order and content stay; readers of the threads' runs are disconnected. Returns
   * the number of moved threads that were not in the trash: 0 for the visitor's own token and for a repeated claim.
   *
   * Throws `anonymous-cannot-claim`, and `invalid-refresh-token` also for the token of a person with an account.
   */
  claim(visitor: Visitor, refreshToken: string): Promise<number>;
  /**
   * Like `claim`, in the transaction of a sign-in, for the guest who signs in to the account of `to`. Also moves files
   * that no thread has.
   */
  adopt(tx: Tx, guest: ThreadMove["from"], to: ThreadMove["to"]): Promise<number>;
};

export function createClaims(options: {
  db: Database;
  live: Live;
  visitorOfToken: (refreshToken: string) => Promise<Visitor>;
  moveHooks: MoveHook[];
}): Claims {
  const { db, live, visitorOfToken, moveHooks } = options;

  async function announce(tx: Tx, move: ThreadMove): Promise<void> {
    const threads = await rows.findThreads(tx, move.threadIds);
    const removed = move.threadIds.map((id) => ({ type: "thread-gone", thread_id: id }) as const);
    const added = threads.map((row) => ({ type: "thread-put", thread: presentThread(row) }) as const);
    await live.announce(tx, move.from.workspaceId, removed);
    await live.announce(tx, move.to.workspaceId, added);
  }

  async function adopt(
    tx: Tx,
    { workspaceId, userId }: ThreadMove["from"],
    to: ThreadMove["to"],
  ): Promise<number> {
    const from = { workspaceId, userId };
    const moved = await rows.moveThreads(tx, from, to);
    const move: ThreadMove = { threadIds: moved.map(({ id }) => id), from, to };
    for (const hook of moveHooks) await hook(tx, move);
    if (moved.length > 0) await announce(tx, move);
    return moved.filter((row) => row.deleted_at === null).length;
  }

  return {
    adopt,
    async claim(visitor, refreshToken) {
      if (visitor.kind === "anonymous") throw new AppError("anonymous-cannot-claim");
      const identity = await visitorOfToken(refreshToken);
      if (identity.workspaceId === visitor.workspaceId) return 0;
      if (identity.kind !== "anonymous" || identity.appId !== visitor.appId)
        throw new AppError("invalid-refresh-token");
      return await db.write(async (tx) => await adopt(tx, identity, visitor));
    },
  };
}
