import type { BodyOf } from "#contract/api.ts";
import { newId } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import type { SteadyClock } from "#server/lib/clock.ts";
import { createRateLimiter } from "#server/lib/rate-limit.ts";
import type { Visitor } from "#server/lib/route.ts";
import { sweep } from "#server/lib/batched-sweep.ts";
import type { MoveHook } from "#server/threads/claim.ts";
import type { Erased } from "#server/threads/erase.ts";
import type { ThreadEraser } from "#server/threads/temporary.ts";
import type { Threads } from "#server/threads/threads.ts";
import * as rows from "./rows.ts";

/** Analytics events of the app's users: kinds and numbers, never text. */
export type Events = {
  /**
   * Stores events, except those of threads that are not the visitor's, and returns the number of stored ones. Throws
   * `rate-limited`.
   */
  add(visitor: Visitor, events: BodyOf<"events.add">["events"]): Promise<number>;
  /** In the transaction of a claim: moves the events of moved threads to the new workspace and user. */
  reassign: MoveHook;
  /** In the transaction of an erasure: deletes the person's events. */
  erase(tx: Tx, person: Erased): Promise<void>;
  eraseThread: ThreadEraser;
  /** Deletes expired events. Returns their number. */
  sweep(signal: AbortSignal): Promise<number>;
};

const sweepBatch = 200;

export function createEvents(options: {
  db: Database;
  threads: Threads;
  clock: SteadyClock;
  /** How long events are kept; `undefined` keeps them forever. */
  keepMs: number | undefined;
}): Events {
  const { db, threads, clock, keepMs } = options;
  const perUser = createRateLimiter({ clock, points: limits.eventsPerMinute, seconds: 60 });

  return {
    async add(visitor, events) {
      perUser.spend(`${visitor.workspaceId} ${visitor.userId}`, events.length);
      const named = events.map((event) => event.thread_id).filter((id) => id != null);
      return await db.write(async (tx) => {
        const own = await threads.filterOwnIds(tx, visitor, named);
        const accepted = events.filter((event) => event.thread_id == null || own.has(event.thread_id));
        const nowMs = clock.now();
        await rows.insertEvents(
          tx,
          accepted.map((event) => ({
            id: newId("event", nowMs),
            app_id: visitor.appId,
            workspace_id: visitor.workspaceId,
            user_id: visitor.userId,
            kind: event.kind,
            thread_id: event.thread_id ?? null,
            message_id: event.message_id ?? null,
            run_id: event.run_id ?? null,
            value: event.value ?? null,
            props: event.props == null ? null : JSON.stringify(event.props),
            created_at: nowMs,
          })),
        );
        return accepted.length;
      });
    },

    erase: async (tx, { appId, userId }) => await rows.deleteEventsOf(tx, appId, userId),
    async eraseThread(tx, threadId) {
      await rows.deleteEventsOfThread(tx, threadId);
      return true;
    },
    async sweep(signal) {
      if (keepMs === undefined) return 0;
      const batch = async () =>
        await db.write(async (tx) => await rows.deleteOldEvents(tx, clock.now() - keepMs, sweepBatch));
      return await sweep(batch, { size: sweepBatch, clock, signal });
    },
    reassign: async (tx, move) => await rows.reassignEvents(tx, move),
  };
}
