import type { RunEvent } from "#contract/run-events.ts";
import { createEventFilter } from "#server/parts/other-thread-events.ts";
import type { FollowRun } from "./follow-run.ts";

/**
 * The entries after number `after`, for people that the thread is shared with: without what the answer read in other
 * threads. `fromStart` follows the run from its first entry, which says which parts that is.
 */
export function followAsMember(fromStart: FollowRun, after: number): FollowRun {
  return async function* (signal, mutex) {
    const filter = createEventFilter();
    for await (const batch of fromStart(signal, mutex)) {
      if (batch === "reset") {
        yield batch;
        return;
      }
      const entries = batch
        .map(({ seq, body }) => ({ seq, body: JSON.stringify(filter(JSON.parse(body) as RunEvent)) }))
        .filter(({ seq }) => seq > after);
      if (entries.length > 0) yield entries;
    }
  };
}
