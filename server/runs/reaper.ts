import { fold } from "#contract/fold.ts";
import { limits } from "#contract/limits.ts";
import type { RunEndState, RunEvent } from "#contract/run-events.ts";
import { append, readAfter } from "#storage/log/log.ts";
import type { Database } from "#storage/sql/database.ts";
import type { Clock } from "../clock.ts";
import type { Logger } from "../logger.ts";
import { finishRun, type Finished } from "./finish.ts";
import * as rows from "./rows.ts";
import { runTopic } from "./topics.ts";

/**
 * Ends the runs that nobody carries any more: their process died, and its lease ran out. What was said of the answer
 * is in the log, and becomes the reply.
 */
export type Reaper = {
  /** Ends every run whose lease is over; at the start of a lone process (`alsoOthers`) every one that it did not begin. */
  sweep(alsoOthers: boolean): Promise<number>;
  /** Ends this run as `state`, unless it ended meanwhile or its lease stands again. */
  end(run: rows.RunRow, state: Extract<RunEndState, "interrupted" | "cancelled">): Promise<boolean>;
};

export function createReaper(options: { db: Database; clock: Clock; logger: Logger; leaseOwner: string; finish: Finished }): Reaper {
  const { db, clock, logger, leaseOwner } = options;

  const end: Reaper["end"] = async (run, state) => {
    const events = await readWhole(db, run.id);
    return await db.write(async (tx) => {
      const now = await rows.lockRun(tx, run.id);
      const changed = now === undefined || now.state !== run.state || now.lease_owner !== run.lease_owner || now.lease_expires_at !== run.lease_expires_at;
      if (changed) return false;
      const last: RunEvent = { type: "run-end", state, finish_reason: "other", usage: {} };
      const start: RunEvent[] = events.length > 0 ? [] : [{ type: "run-start", reply_id: run.reply_id ?? "", model: run.model ?? "", content: [] }];
      const reply = fold([...events, ...start, last]);
      await append(tx, [{ topic: runTopic(run.id), bodies: [...start, last].map((event) => JSON.stringify(event)) }]);
      await finishRun(tx, options.finish, { run, reply, firstTokenAt: null, nowMs: clock.now() });
      return true;
    });
  };

  return {
    end,
    async sweep(alsoOthers) {
      const abandoned = await rows.findAbandoned(db, { leaseOwner, nowMs: clock.now(), alsoOthers });
      let count = 0;
      for (const run of abandoned) {
        if (!(await end(run, "interrupted"))) continue;
        count += 1;
        logger.warn({ runId: run.id }, "a run was interrupted: its process is gone");
      }
      return count;
    },
  };
}

/** Every event of a run's log so far. No one else writes to it once its lease is over. */
async function readWhole(db: Database, runId: string): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for (let after = 0; ; ) {
    const page = await readAfter(db, runTopic(runId), after, limits.messagePageMax);
    if (page.entries.length === 0) return events;
    for (const entry of page.entries) events.push(JSON.parse(entry.body) as RunEvent);
    after = page.entries.at(-1)!.seq;
  }
}
