import type { RunEvent } from "#contract/run-events.ts";
import { readAfter } from "#storage/log/log.ts";
import type { Database } from "#storage/database/database.ts";
import { runTopic } from "./topics.ts";

/** The events of a run, none if the start of its log is deleted, and the number of its last event. */
export type RunLog = { events: RunEvent[]; seq: number };

const pageSize = 200;

/** Reads a run's log. A caller that appends to it must check in its transaction that `seq` is still the last number. */
export async function readRunLog(db: Database, runId: string): Promise<RunLog> {
  const events: RunEvent[] = [];
  for (let after = 0; ;) {
    const page = await readAfter(db, runTopic(runId), after, pageSize);
    const last = page.entries.at(-1);
    // If the entries were deleted, their last number still counts.
    if (last === undefined)
      return { events: events[0]?.type === "run-start" ? events : [], seq: Math.max(after, page.lastSeq) };
    for (const entry of page.entries) events.push(JSON.parse(entry.body) as RunEvent);
    after = last.seq;
  }
}
