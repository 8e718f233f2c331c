import { limits } from "#contract/limits.ts";
import type { Part } from "#contract/parts/kinds.ts";
import type { Model } from "#server/models/model.ts";
import type { Models } from "#server/models/models.ts";
import { createEndOrphanedRun } from "../lifecycle/end-orphaned.ts";
import type { RunRow } from "../rows.ts";
import { EndRequest, executeRun, type ExecuteDependencies, type Execution } from "./execute-run.ts";
import { modelOrDefault } from "./model-or-default.ts";
import type { ResumePoint } from "./prepare-answer.ts";

export type Runner = ReturnType<typeof createRunner>;

/** Executes the runs of this process, each in its own promise. */
export function createRunner(
  options: Omit<ExecuteDependencies, "startNext" | "endOrphanedRun"> & { models: Models },
) {
  const { clock, logger, models } = options;
  const endOrphanedRun = createEndOrphanedRun({ ...options, startNext });
  const dependencies: ExecuteDependencies = { ...options, startNext, endOrphanedRun };
  const running = new Map<string, { end: AbortController; done: Promise<void> }>();
  let isClosing = false;

  function execute(run: RunRow, how: Omit<Execution, "end">): void {
    const end = new AbortController();
    if (isClosing) end.abort(new EndRequest("interrupted"));
    const done = executeRun(run, { ...how, end }, dependencies)
      .catch((error: unknown) => logger.error({ runId: run.id, err: error }, "a run was lost"))
      .finally(() => {
        // The run may have waited for a person and be executed by this process again.
        if (running.get(run.id)?.end === end) running.delete(run.id);
      });
    running.set(run.id, { end, done });
  }

  function start(run: RunRow, getModel: () => Promise<Model>, partsBefore: Part[] = []): void {
    execute(run, { getModel, from: { reply: { parts: partsBefore }, approved: [] }, isResumed: false });
  }

  const modelOf = (run: RunRow) => async () => await modelOrDefault(models, run);

  function startNext(run: RunRow): void {
    if (!isClosing) start(run, modelOf(run));
  }

  return {
    /**
     * Starts a stored run that has this process's lease. `partsBefore` is what its reply holds if the run continues it. A
     * runner that is closing ends the run as interrupted.
     */
    start: (run: RunRow, model: Model, partsBefore?: Part[]): void =>
      start(run, () => Promise.resolve(model), partsBefore),
    /**
     * Starts the run of a queued message, which was just stored with this process's lease. A runner that is closing leaves
     * it to the next process: the reaper retries runs without any output.
     */
    startNext,
    /** Resumes a run that waited for a person. A runner that is closing ends it as interrupted. */
    resume: (run: RunRow, from: ResumePoint): void =>
      execute(run, { getModel: modelOf(run), from, isResumed: true }),
    /** Ends a run that no process executes. */
    endOrphanedRun,
    /** Resolves when this process no longer executes the run, at once if it does not execute it now. */
    async waitForEnd(runId: string): Promise<void> {
      // A run that waited for a person may be executed by this process again.
      for (let found = running.get(runId); found !== undefined; found = running.get(runId)) await found.done;
    },
    /** Ends every run of this process as interrupted, with the output so far, and waits for that. */
    async close(): Promise<void> {
      isClosing = true;
      const all = [...running.values()];
      for (const { end } of all) end.abort(new EndRequest("interrupted"));
      await Promise.race([
        Promise.allSettled(all.map(({ done }) => done)),
        clock.sleep(limits.runLeaseMs / 2),
      ]);
    },
  };
}
