import { fold, waitingCalls } from "#contract/fold.ts";
import type { RunEndState, RunEvent } from "#contract/run-events.ts";
import { append, lastSeq } from "#storage/log/log.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import type { Clock } from "#server/lib/clock.ts";
import type { Metrics } from "#server/metrics/metrics.ts";
import { finishRun } from "./finish-run.ts";
import { readRunLog } from "../log/run-log.ts";
import type { QueueModules } from "./send-queued.ts";
import { keepUnfinishedArtifacts } from "./unfinished-artifacts.ts";
import * as rows from "../rows.ts";
import { runTopic } from "../log/topics.ts";

/**
 * Ends a run that no process executes: its process died, or it waits for a person. The logged events become the reply.
 * Returns false if the run ended in the meantime or a process executes it again.
 */
export type EndOrphanedRun = (
  run: rows.RunRow,
  state: Extract<RunEndState, "interrupted" | "cancelled">,
) => Promise<boolean>;

export function createEndOrphanedRun(options: {
  db: Database;
  clock: Clock;
  modules: QueueModules;
  metrics: Metrics | undefined;
  /** Starts the run of the queued message that follows this run. */
  startNext: (run: rows.RunRow) => void;
}): EndOrphanedRun {
  const { db, clock, modules } = options;

  async function lastEventsOf(run: rows.RunRow, state: RunEndState) {
    const { events, seq } = await readRunLog(db, run.id);
    const start: RunEvent[] = [];
    if (events.length === 0) {
      const isReply = run.thread_id !== null && run.reply_id !== null;
      const content = isReply ? await modules.messages.replyParts(run.thread_id!, run.reply_id!) : [];
      start.push({ type: "run-start", reply_id: run.reply_id ?? "", model: rows.visibleModel(run), content });
    }
    const reply = fold([...events, ...start]);
    const withdrawn = waitingCalls(reply)
      .filter(({ needs }) => needs === "approval")
      .map(({ part }): RunEvent => ({ type: "tool-call-withdrawn", part }));
    const end: RunEvent = { type: "run-end", state, finish_reason: "other", usage: reply.usage ?? {} };
    const lastEvents = [...start, ...withdrawn, ...keepUnfinishedArtifacts(reply, state), end];
    return { lastEvents, seq, reply: fold([...events, ...lastEvents]) };
  }

  return async (run, state) => {
    for (;;) {
      const { lastEvents, seq, reply } = await lastEventsOf(run, state);
      const outcome = await db.write(async (tx) => {
        await modules.threads.lockAll(tx, run.thread_id === null ? [] : [run.thread_id]);
        if (!(await isStillOrphaned(tx, run))) return "taken";
        // Between the read and this transaction a person answered one of several calls.
        if ((await lastSeq(tx.q, runTopic(run.id))) !== seq) return "outdated";
        await append(tx, [
          { topic: runTopic(run.id), bodies: lastEvents.map((event) => JSON.stringify(event)) },
        ]);
        const { first_token_at: firstTokenAt } = run;
        return await finishRun(tx, modules, { run, reply, firstTokenAt, nowMs: clock.now() });
      });
      if (outcome === "taken") return false;
      if (outcome === "outdated") continue;
      options.metrics?.runEnded({ state, model: run.model, usage: reply.end?.usage ?? {} });
      if (outcome.next !== undefined) options.startNext(outcome.next);
      return true;
    }
  };
}

/** Whether the run's state and lease are unchanged. Locks the run until the transaction ends. */
export async function isStillOrphaned(tx: Tx, run: rows.RunRow): Promise<boolean> {
  const now = await rows.lockRun(tx, run.id);
  return (
    now?.state === run.state &&
    now.lease_owner === run.lease_owner &&
    now.lease_expires_at === run.lease_expires_at
  );
}
