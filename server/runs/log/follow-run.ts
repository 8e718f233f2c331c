import type { RunEvent } from "#contract/run-events.ts";
import { follow } from "#storage/log/follow.ts";
import { readAfter } from "#storage/log/log.ts";
import type { LogEntry } from "#storage/lib/log-entry.ts";
import type { Mutex } from "#storage/lib/mutex.ts";
import type { Database } from "#storage/database/database.ts";
import * as rows from "../rows.ts";
import { movedTopic, runTopic } from "./topics.ts";

/**
 * The log entries of a run after a number, until the last one; or one `reset` if they are deleted. One reader uses the
 * same `mutex` for everything it follows.
 */
export type FollowRun = (signal: AbortSignal, mutex?: Mutex) => AsyncGenerator<readonly LogEntry[] | "reset">;

/** Follows a run after number `after` while it belongs to `workspaceId`. Ends when its thread is claimed. */
export function followRun(db: Database, workspaceId: string, runId: string, after: number): FollowRun {
  return async function* (signal, mutex) {
    const moved = new AbortController();
    const check = async (): Promise<void> => {
      const run = await rows.findRun(db, workspaceId, runId).catch(() => "unknown");
      if (run === undefined) moved.abort(new Error("the run belongs to another workspace"));
    };
    const unsubscribe = db.pubSub.subscribe(movedTopic(runId), () => void check());
    try {
      // The run may have moved before the subscription.
      await check();
      yield* entriesAfter(db, runId, after, AbortSignal.any([signal, moved.signal]), mutex);
    } finally {
      unsubscribe();
    }
  };
}

/** For a run whose log is deleted. Its reply is still stored. */
export const followDeleted: FollowRun = async function* () {
  yield "reset";
};

async function* entriesAfter(
  db: Database,
  runId: string,
  after: number,
  signal: AbortSignal,
  mutex: Mutex | undefined,
): AsyncGenerator<readonly LogEntry[] | "reset"> {
  // If the reader has the last entry, no more will follow.
  const previous = after === 0 ? undefined : (await readAfter(db, runTopic(runId), after - 1, 1)).entries[0];
  if (previous !== undefined && isLast(previous)) return;
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

/** `run-end` is the last event of a log. The text search avoids parsing most entries. */
function isLast({ body }: LogEntry): boolean {
  return body.includes('"run-end"') && (JSON.parse(body) as RunEvent).type === "run-end";
}
