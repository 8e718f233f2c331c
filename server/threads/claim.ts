import type { Database, Tx } from "#storage/database/database.ts";
import { AppError } from "../lib/errors.ts";
import type { Live } from "../live/live.ts";
import type { Visitor } from "../lib/route.ts";
import { presentThread } from "./present.ts";
import * as rows from "./rows.ts";

/** Threads on their way from an anonymous visitor to the person who they turned out to be. */
export type Move = {
  threadIds: string[];
  from: { workspaceId: string; userId: string };
  to: { projectId: string; workspaceId: string; userId: string };
};

/** Brings along what another room keeps of threads that move. They are held, and in their new workspace already. */
export type Follower = (tx: Tx, move: Move) => Promise<void>;

export type Claims = {
  /**
   * Moves every thread of the anonymous visitor behind `refreshToken` to the workspace that `visitor` acts in, with all
   * that belongs to it: ids, order and words stay, and whoever reads a run of one reads no further. Answers how many came
   * that were not in the trash; 0 for one's own token, and the second time.
   *
   * Throws `anonymous-cannot-claim`, and `invalid-refresh-token` also for the token of someone who has an account.
   */
  claim(visitor: Visitor, refreshToken: string): Promise<number>;
};

export function createClaims(options: {
  db: Database;
  live: Live;
  behind: (refreshToken: string) => Promise<Visitor>;
  followers: Follower[];
}): Claims {
  const { db, live, behind, followers } = options;

  async function announce(tx: Tx, move: Move): Promise<void> {
    const threads = await rows.findThreads(tx, move.threadIds);
    const left = move.threadIds.map((id) => ({ type: "thread-gone", thread_id: id }) as const);
    const came = threads.map((row) => ({ type: "thread-put", thread: presentThread(row) }) as const);
    await live.announce(tx, move.from.workspaceId, left);
    await live.announce(tx, move.to.workspaceId, came);
  }

  return {
    async claim(visitor, refreshToken) {
      if (visitor.kind === "anonymous") throw new AppError("anonymous-cannot-claim");
      const identity = await behind(refreshToken);
      if (identity.workspaceId === visitor.workspaceId) return 0;
      if (identity.kind !== "anonymous" || identity.projectId !== visitor.projectId)
        throw new AppError("invalid-refresh-token");
      return await db.write(async (tx) => {
        const { workspaceId, userId } = identity;
        const moved = await rows.moveThreads(tx, { workspaceId, userId }, visitor);
        if (moved.length === 0) return 0;
        const move: Move = {
          threadIds: moved.map(({ id }) => id),
          from: { workspaceId, userId },
          to: visitor,
        };
        for (const follow of followers) await follow(tx, move);
        await announce(tx, move);
        return moved.filter((row) => row.deleted_at === null).length;
      });
    },
  };
}
