import { RateLimiterMemory } from "rate-limiter-flexible";
import type { BodyOf } from "#contract/api.ts";
import { newId } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import type { Clock } from "#server/lib/clock.ts";
import { spend } from "#server/lib/rate-limit.ts";
import type { Visitor } from "#server/lib/route.ts";
import { sweep } from "#server/lib/batched-sweep.ts";
import type { Follower } from "#server/threads/claim.ts";
import type { Erased } from "#server/threads/erase.ts";
import type { Threads } from "#server/threads/threads.ts";
import * as rows from "./rows.ts";

/** What people do with a chat: counts and kinds, never words. */
export type Events = {
  /**
   * Keeps events, and answers how many: those that name a thread which is not the visitor's are left out. Throws
   * `rate-limited`.
   */
  add(visitor: Visitor, events: BodyOf<"events.add">["events"]): Promise<number>;
  /** In the transaction of a claim: brings along the events of threads that move. */
  follow: Follower;
  /** In the transaction of an erasure: deletes what this person did. */
  erase(tx: Tx, who: Erased): Promise<void>;
  /** Deletes the events that are older than they are kept. Answers how many. */
  sweep(signal: AbortSignal): Promise<number>;
};

const sweptPerBatch = 200;

export function createEvents(options: {
  db: Database;
  threads: Threads;
  clock: Clock;
  /** How long events are kept; for ever where it is absent. */
  keepMs: number | undefined;
}): Events {
  const { db, threads, clock, keepMs } = options;
  const perUser = new RateLimiterMemory({ points: limits.eventsPerMinute, duration: 60 });

  return {
    async add(visitor, events) {
      await spend(perUser, `${visitor.workspaceId} ${visitor.userId}`, events.length);
      const named = events.map((event) => event.thread_id).filter((id) => id != null);
      return await db.write(async (tx) => {
        const own = await threads.ownIds(tx, visitor, named);
        const kept = events.filter((event) => event.thread_id == null || own.has(event.thread_id));
        const nowMs = clock.now();
        await rows.insertEvents(
          tx,
          kept.map((event) => ({
            id: newId("event", nowMs),
            project_id: visitor.projectId,
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
        return kept.length;
      });
    },

    erase: async (tx, { projectId, userId }) => await rows.deleteEventsOf(tx, projectId, userId),
    async sweep(signal) {
      if (keepMs === undefined) return 0;
      const batch = async () =>
        await db.write(async (tx) => await rows.deleteOldEvents(tx, clock.now() - keepMs, sweptPerBatch));
      return await sweep(batch, { size: sweptPerBatch, clock, signal });
    },
    follow: async (tx, move) => await rows.moveEvents(tx, move),
  };
}
