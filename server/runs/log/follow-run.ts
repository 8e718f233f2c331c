import type { RunEvent } from "#contract/run-events.ts";
import { follow } from "#storage/log/follow.ts";
import { readAfter } from "#storage/log/log.ts";
import type { LogEntry } from "#storage/log-entry.ts";
import type { Mutex } from "#storage/mutex.ts";
import type { Database } from "#storage/database/database.ts";
import * as rows from "../rows.ts";
import { movedTopic, runTopic } from "./topics.ts";

/**
 * The events of a run from some number on, as the log has them, until its last; or one `reset`, where they are no
 * longer kept. `mutex`: shared by all that one reader follows.
 */
export type FollowRun = (signal: AbortSignal, mutex?: Mutex) => AsyncGenerator<readonly LogEntry[] | "reset">;

/** Follows a run of `workspaceId` from behind number `after`, for as long as it belongs there: a claim takes it away. */
export function followRun(db: Database, workspaceId: string, runId: string, after: number): FollowRun {
  return async function* (signal, mutex) {
    const taken = new AbortController();
    const look = async (): Promise<void> => {
      const run = await rows.findRun(db, workspaceId, runId).catch(() => "away");
      if (run === undefined) taken.abort(new Error("the run belongs to another workspace"));
    };
    const unlisten = db.pubSub.subscribe(movedTopic(runId), () => void look());
    try {
      // It may have been taken between the request's own look and the first listening.
      await look();
      yield* events(db, runId, after, AbortSignal.any([signal, taken.signal]), mutex);
    } finally {
      unlisten();
    }
  };
}

/** The log of a run that ended long ago is gone; its reply is stored. */
export const followGone: FollowRun = async function* () {
  yield "reset";
};

async function* events(
  db: Database,
  runId: string,
  after: number,
  signal: AbortSignal,
  mutex: Mutex | undefined,
): AsyncGenerator<readonly LogEntry[] | "reset"> {
  // The end may be behind the reader already: then nothing more will come.
  const seen = after === 0 ? undefined : (await readAfter(db, runTopic(runId), after - 1, 1)).entries[0];
  if (seen !== undefined && isLast(seen)) return;
  for await (const batch of follow(db, runTopic(runId), after, signal, { mutex })) {
    if (batch.type === "reset") {
      yield "reset";
      return;
    }
    if (signal.aborted) return;
    yield batch.entries;
    if (batch.entries.some(isLast)) return;
  }
}

/** Nothing is written after a run's end. Few entries need reading to know. */
function isLast({ body }: LogEntry): boolean {
  return body.includes('"run-end"') && (JSON.parse(body) as RunEvent).type === "run-end";
}
