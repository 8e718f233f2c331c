import { fold } from "#contract/fold.ts";
import { limits } from "#contract/limits.ts";
import type { RunEndState, RunEvent } from "#contract/run-events.ts";
import { append, lastSeq, readAfter } from "#storage/log/log.ts";
import type { Database, Tx } from "#storage/sql/database.ts";
import type { Clock } from "../clock.ts";
import type { Logger } from "../logger.ts";
import { finishRun, type Finished } from "./finish.ts";
import * as rows from "./rows.ts";
import { runTopic } from "./topics.ts";

/**
 * Looks after the runs that nobody carries any more: their process died, and its lease ran out. What was said of the
 * answer is in the log, and becomes the reply; a run that had said nothing yet is simply asked again.
 */
export type Reaper = {
  /**
   * Ends every run whose lease is over; at the start of a lone process (`alsoOthers`) every one that it did not begin.
   * Answers how many were interrupted.
   */
  sweep(alsoOthers: boolean): Promise<number>;
  /** Ends this run as `state`, unless it ended meanwhile or its lease stands again. */
  end(run: rows.RunRow, state: Extract<RunEndState, "interrupted" | "cancelled">): Promise<boolean>;
};

/** Older than this, a question is not asked again by itself: the person has long gone on. */
const askAgainMs = 10 * 60_000;

/** Begins a run anew under this process's lease; its reply is as it was. */
export type AskAgain = (run: rows.RunRow) => Promise<void>;

export function createReaper(options: {
  db: Database;
  clock: Clock;
  logger: Logger;
  leaseOwner: string;
  finish: Finished;
  askAgain: AskAgain;
  beginNext: (run: rows.RunRow) => void;
}): Reaper {
  const { db, clock, logger, leaseOwner } = options;
  const { messages, threads } = options.finish;

  const end: Reaper["end"] = async (run, state) => {
    const events = await readWhole(db, run.id);
    const before =
      run.thread_id === null || run.reply_id === null
        ? []
        : await messages.replyParts(run.thread_id, run.reply_id);
    const ended = await db.write(async (tx) => {
      await threads.holdAll(tx, run.thread_id === null ? [] : [run.thread_id]);
      if (!(await isStillAbandoned(tx, run))) return undefined;
      const last: RunEvent = { type: "run-end", state, finish_reason: "other", usage: {} };
      const start: RunEvent[] =
        events.length > 0
          ? []
          : [{ type: "run-start", reply_id: run.reply_id ?? "", model: run.model ?? "", content: before }];
      const reply = fold([...events, ...start, last]);
      await append(tx, [
        { topic: runTopic(run.id), bodies: [...start, last].map((event) => JSON.stringify(event)) },
      ]);
      const next = await finishRun(tx, options.finish, {
        run,
        reply,
        firstTokenAt: null,
        nowMs: clock.now(),
      });
      return { next };
    });
    if (ended?.next !== undefined) options.beginNext(ended.next);
    return ended !== undefined;
  };

  async function askedAgain(run: rows.RunRow): Promise<boolean> {
    const isFresh =
      run.origin === "own" && run.stop_requested_at === null && run.created_at > clock.now() - askAgainMs;
    if (!isFresh || run.asked_again >= limits.askedAgainMax) return false;
    if ((await lastSeq(db.read, runTopic(run.id))) > 0) return false;
    const lease = {
      lease_owner: leaseOwner,
      lease_expires_at: clock.now() + limits.runLeaseMs,
      // Before it is asked: it may be what kills its process.
      asked_again: run.asked_again + 1,
    };
    const isOurs = await db.write(async (tx) => {
      if (!(await isStillAbandoned(tx, run))) return false;
      await rows.changeRun(tx, run.id, lease);
      return true;
    });
    if (!isOurs) return true;
    logger.warn({ runId: run.id }, "a run had said nothing when its process went; asking again");
    await options.askAgain({ ...run, ...lease });
    return true;
  }

  return {
    end,
    async sweep(alsoOthers) {
      const abandoned = await rows.findAbandoned(db, { leaseOwner, nowMs: clock.now(), alsoOthers });
      let count = 0;
      for (const run of abandoned) {
        try {
          if (await askedAgain(run)) continue;
          if (!(await end(run, run.stop_requested_at === null ? "interrupted" : "cancelled"))) continue;
          count += 1;
          logger.warn({ runId: run.id }, "a run was interrupted: its process is gone");
        } catch (error) {
          // The others are not to wait for it, nor is the server's start.
          logger.error({ err: error, runId: run.id }, "could not end an abandoned run; trying again later");
        }
      }
      return count;
    },
  };
}

async function isStillAbandoned(tx: Tx, run: rows.RunRow): Promise<boolean> {
  const now = await rows.lockRun(tx, run.id);
  return (
    now?.state === run.state &&
    now.lease_owner === run.lease_owner &&
    now.lease_expires_at === run.lease_expires_at
  );
}

/** Every event of a run's log so far. No one else writes to it once its lease is over. */
async function readWhole(db: Database, runId: string): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for (let after = 0; ;) {
    const page = await readAfter(db, runTopic(runId), after, limits.messagePageMax);
    if (page.entries.length === 0) return events;
    for (const entry of page.entries) events.push(JSON.parse(entry.body) as RunEvent);
    after = page.entries.at(-1)!.seq;
  }
}
