import { limits } from "#contract/limits.ts";
import type { RunEvent } from "#contract/run-events.ts";
import { readAfter } from "#storage/log/log.ts";
import type { Database } from "#storage/database/database.ts";
import { runTopic } from "./topics.ts";

/** What a run has said, or nothing where the beginning is no longer kept, and the number of its last event. */
export type RunLog = { events: RunEvent[]; seq: number };

/** A run's log as it is now. Whoever appends on the strength of it makes sure that `seq` is still the last. */
export async function readRunLog(db: Database, runId: string): Promise<RunLog> {
  const events: RunEvent[] = [];
  for (let after = 0; ;) {
    const page = await readAfter(db, runTopic(runId), after, limits.messagePageMax);
    const last = page.entries.at(-1);
    // Without an entry of its own the number is that of what was pruned.
    if (last === undefined)
      return { events: events[0]?.type === "run-start" ? events : [], seq: Math.max(after, page.lastSeq) };
    for (const entry of page.entries) events.push(JSON.parse(entry.body) as RunEvent);
    after = last.seq;
  }
}
