import { fold, waitingCalls } from "#contract/fold.ts";
import type { RunEndState, RunEvent } from "#contract/run-events.ts";
import { append, lastSeq } from "#storage/log/log.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import type { Clock } from "#server/lib/clock.ts";
import { finishRun, type Finished } from "./finish.ts";
import { readRunLog } from "../log/run-log.ts";
import * as rows from "../rows.ts";
import { runTopic } from "../log/topics.ts";

/**
 * Ends a run that nobody carries: its process died, or it waits for a person. What was said of the answer is in the
 * log, and becomes the reply. False where it ended meanwhile, or somebody carries it again.
 */
export type EndUncarried = (
  run: rows.RunRow,
  state: Extract<RunEndState, "interrupted" | "cancelled">,
) => Promise<boolean>;

export function createEndUncarried(options: {
  db: Database;
  clock: Clock;
  finish: Finished;
  /** Begins the run of a message that waited for this end. */
  beginNext: (run: rows.RunRow) => void;
}): EndUncarried {
  const { db, clock, finish } = options;

  async function lastEvents(run: rows.RunRow, state: RunEndState) {
    const { events, seq } = await readRunLog(db, run.id);
    const start: RunEvent[] = [];
    if (events.length === 0) {
      const isReply = run.thread_id !== null && run.reply_id !== null;
      const content = isReply ? await finish.messages.replyParts(run.thread_id!, run.reply_id!) : [];
      start.push({ type: "run-start", reply_id: run.reply_id ?? "", model: run.model ?? "", content });
    }
    const reply = fold([...events, ...start]);
    const withdrawn = waitingCalls(reply)
      .filter(({ wants }) => wants === "approval")
      .map(({ part }): RunEvent => ({ type: "tool-call-withdrawn", part }));
    const end: RunEvent = { type: "run-end", state, finish_reason: "other", usage: reply.usage ?? {} };
    const more = [...start, ...withdrawn, end];
    return { more, seq, reply: fold([...events, ...more]) };
  }

  return async (run, state) => {
    for (;;) {
      const { more, seq, reply } = await lastEvents(run, state);
      const outcome = await db.write(async (tx) => {
        await finish.threads.lockAll(tx, run.thread_id === null ? [] : [run.thread_id]);
        if (!(await isStillUncarried(tx, run))) return "carried";
        // Somebody has just answered one of several calls.
        if ((await lastSeq(tx.q, runTopic(run.id))) !== seq) return "moved";
        await append(tx, [{ topic: runTopic(run.id), bodies: more.map((event) => JSON.stringify(event)) }]);
        const { first_token_at: firstTokenAt } = run;
        return { next: await finishRun(tx, finish, { run, reply, firstTokenAt, nowMs: clock.now() }) };
      });
      if (outcome === "carried") return false;
      if (outcome === "moved") continue;
      if (outcome.next !== undefined) options.beginNext(outcome.next);
      return true;
    }
  };
}

/** Whether the run stands as it did: held until the transaction ends. */
export async function isStillUncarried(tx: Tx, run: rows.RunRow): Promise<boolean> {
  const now = await rows.lockRun(tx, run.id);
  return (
    now?.state === run.state &&
    now.lease_owner === run.lease_owner &&
    now.lease_expires_at === run.lease_expires_at
  );
}
