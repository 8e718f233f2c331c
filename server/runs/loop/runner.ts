import { limits } from "#contract/limits.ts";
import type { Part } from "#contract/parts/kinds.ts";
import type { Model } from "#server/models/model.ts";
import { handOverRun } from "../leases/hand-over.ts";
import { createEndOrphanedRun } from "../lifecycle/end-orphaned.ts";
import * as rows from "../rows.ts";
import {
  EndRequest,
  executeRun,
  type ExecuteDependencies,
  type Execution,
  type Prepare,
} from "./execute-run.ts";
import type { ResumePoint } from "../prepare/stored-run.ts";
import { createLastItems } from "../requests/recorder.ts";

export type Runner = ReturnType<typeof createRunner>;

/** Executes the runs of this process, each in its own promise. */
export function createRunner(
  options: Omit<ExecuteDependencies, "startNext" | "endOrphanedRun" | "lastItems"> & {
    draining: AbortSignal;
  },
) {
  const { db, clock, logger, leases, draining } = options;
  const endOrphanedRun = createEndOrphanedRun({ ...options, startNext });
  const lastItems = createLastItems();
  const dependencies: ExecuteDependencies = { ...options, lastItems, startNext, endOrphanedRun };
  // SQLite has only one process.
  const canHandOver = db.engine !== "sqlite";
  const running = new Map<string, { end: AbortController; done: Promise<void> }>();
  let closing: EndRequest | undefined;

  function execute(run: rows.RunRow, how: Omit<Execution, "end">): void {
    const end = new AbortController();
    if (closing !== undefined) end.abort(closing);
    track(run, end, executeRun(run, { ...how, end }, dependencies));
  }

  function track(run: rows.RunRow, end: AbortController, work: Promise<void>): void {
    const done = work
      .catch((error: unknown) => logger.error({ runId: run.id, err: error }, "a run was lost"))
      .finally(() => {
        // The run may have waited for a person and be executed by this process again.
        if (running.get(run.id)?.end === end) running.delete(run.id);
      });
    running.set(run.id, { end, done });
  }

  function start(run: rows.RunRow, model?: Model, partsBefore: Part[] = []): void {
    const from = { reply: { parts: partsBefore }, approved: [] };
    execute(run, { ...(model && { model }), from, storesReply: true, isResumed: false });
  }

  function startNext(run: rows.RunRow): void {
    if (!draining.aborted) start(run);
    else if (canHandOver) track(run, new AbortController(), handOverUnstarted(run.id));
  }

  async function handOverUnstarted(runId: string): Promise<void> {
    await db.write(async (tx) => {
      const leased = await rows.lockLeased(tx, [runId], leases.owner);
      if (leased.has(runId)) await handOverRun(tx, runId, null, clock.now());
    });
  }

  /** The end of a run can start the next one. */
  async function waitForAll(): Promise<void> {
    while (running.size > 0) await Promise.all([...running.values()].map(async ({ done }) => await done));
  }

  return {
    /**
     * Starts a stored run that has this process's lease. `partsBefore` is what its reply holds if the run continues it. For
     * a runner that is closing see `close`.
     */
    start: (run: rows.RunRow, model: Model, partsBefore?: Part[]): void => start(run, model, partsBefore),
    /** Starts a stored run that stores no reply, as `start` does. Its log has the answer. */
    startUnstored: (run: rows.RunRow, model: Model, prepare: Prepare): void =>
      execute(run, {
        model,
        from: { reply: { parts: [] }, approved: [] },
        prepare,
        storesReply: false,
        isResumed: false,
      }),
    /**
     * Starts the run of a queued message, which was just stored with this process's lease. A process that shuts down leaves
     * it to another one: the reaper retries runs without any output.
     */
    startNext,
    /** Resumes a run that waited for a person or was handed over. */
    resume: (run: rows.RunRow, from: ResumePoint): void =>
      execute(run, { from, storesReply: true, isResumed: true }),
    /** Ends a run that no process executes. */
    endOrphanedRun,
    /** Resolves when this process no longer executes the run, at once if it does not execute it now. */
    async waitForEnd(runId: string): Promise<void> {
      // A run that waited for a person may be executed by this process again.
      for (let found = running.get(runId); found !== undefined; found = running.get(runId)) await found.done;
    },
    /** Whether this process executes a run. */
    isBusy: () => running.size > 0,
    /**
     * Hands every run over to the other processes of the database, with the output so far; on an engine that has only one
     * process, ends it as interrupted. If no other process runs, the next one continues the runs that were handed over.
     */
    async close(): Promise<void> {
      closing = new EndRequest(canHandOver ? "handed-over" : "interrupted");
      for (const { end } of running.values()) end.abort(closing);
      await Promise.race([waitForAll(), clock.sleep(limits.runLeaseMs / 2)]);
    },
  };
}
