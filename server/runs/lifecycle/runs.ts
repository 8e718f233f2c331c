import { isRunEnded } from "#contract/run-events.ts";
import type { Run } from "#contract/endpoints/runs.ts";
import { lastSeq } from "#storage/log/log.ts";
import { AppError, badRequest } from "#server/lib/errors.ts";
import type { Visitor } from "#server/lib/route.ts";
import type { EndOrphanedRun } from "./end-orphaned.ts";
import { followAsMember } from "../log/follow-as-member.ts";
import { followDeleted, followRun, type FollowRun } from "../log/follow-run.ts";
import { runTopic, stopTopic } from "../log/topics.ts";
import { presentRun } from "../present.ts";
import * as rows from "../rows.ts";
import { createStartRun, type StartDependencies } from "./start-run.ts";

/** How long the response to a stop waits for the end of the run. */
const stopTimeoutMs = 2_000;

export type Runs = ReturnType<typeof createRuns>;

export function createRuns(options: StartDependencies & { endOrphanedRun: EndOrphanedRun }) {
  const { db, clock, endOrphanedRun } = options;

  async function find(visitor: Visitor, runId: string): Promise<rows.RunRow> {
    const row = await rows.findRun(db, visitor.workspaceId, runId);
    if (row === undefined) throw new AppError("run-not-found");
    return row;
  }

  async function present(row: rows.RunRow): Promise<Run> {
    return presentRun(row, await lastSeq(db.read, runTopic(row.id)));
  }

  /** Resolves when the run has ended, or after `stopTimeoutMs`. */
  async function waitForEnd(visitor: Visitor, runId: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timeout = new AbortController();
    const unsubscribe = db.pubSub.subscribe(runTopic(runId), () => {
      void find(visitor, runId).then((row) => {
        if (isRunEnded(row.state)) resolve();
      }, resolve);
    });
    void clock.sleep(stopTimeoutMs, timeout.signal).then(resolve, () => {});
    await promise;
    unsubscribe();
    timeout.abort();
  }

  function followAs({ workspaceId, memberAccess }: Visitor, runId: string, after: number): FollowRun {
    if (memberAccess === undefined) return followRun(db, workspaceId, runId, after);
    return followAsMember(followRun(db, workspaceId, runId, 0), after);
  }

  return {
    start: createStartRun(options),

    async get(visitor: Visitor, runId: string): Promise<Run> {
      return await present(await find(visitor, runId));
    },

    /**
     * Like `follow`, but returns `undefined` for a run of another workspace, and a `reset` if the log does not reach
     * `after`.
     */
    async followIfOwn(visitor: Visitor, runId: string, after: number): Promise<FollowRun | undefined> {
      const row = await rows.findRun(db, visitor.workspaceId, runId);
      if (row === undefined) return undefined;
      const last = await lastSeq(db.read, runTopic(runId));
      if (after > last || (last === 0 && isRunEnded(row.state))) return followDeleted;
      return followAs(visitor, runId, after);
    },

    /**
     * The events of a run after number `after`, until its last; `reset` if they are no longer stored and the reader must
     * load the reply instead. Throws `run-not-found`, and a bad request if the log does not reach `after`.
     */
    async follow(visitor: Visitor, runId: string, after: number): Promise<FollowRun> {
      const { state } = await find(visitor, runId);
      const last = await lastSeq(db.read, runTopic(runId));
      if (last === 0 && isRunEnded(state)) return followDeleted;
      if (after > last)
        throw badRequest("query.after", `must be a number of this run's log, which has ${last} so far`);
      return followAs(visitor, runId, after);
    },

    /**
     * Asks a run to stop, in whichever process it is executed, and waits briefly for its end. If that process died, the run
     * ends later. A run that has ended does not change.
     */
    async stop(visitor: Visitor, runId: string): Promise<Run> {
      const before = await find(visitor, runId);
      if (isRunEnded(before.state)) return await present(before);
      // Subscribe before the request, so that the end is not missed.
      const ended = waitForEnd(visitor, runId);
      const stopped = await db.write(async (tx) => {
        const row = await rows.lockRun(tx, runId);
        if (row === undefined || isRunEnded(row.state)) return undefined;
        await rows.changeRun(tx, runId, { stop_requested_at: row.stop_requested_at ?? clock.now() });
        tx.publishOnCommit.add(stopTopic(runId));
        return row;
      });
      // A run without a lease waits for a person: no process executes it. A run with a lease is left to its process, or
      // to the reaper if that process died, because the expiry time in a lease is unreliable.
      const isEnded = stopped?.lease_owner === null && (await endOrphanedRun(stopped, "cancelled"));
      if (!isEnded && stopped !== undefined) await ended;
      return await present(await find(visitor, runId));
    },
  };
}
