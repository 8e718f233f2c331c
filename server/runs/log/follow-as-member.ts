import type { RunEvent } from "#contract/run-events.ts";
import { createSecretFilter } from "#server/parts/file-url-events.ts";
import { createEventFilter } from "#server/parts/other-thread-events.ts";
import type { FollowRun } from "./follow-run.ts";

/**
 * The entries after number `after`, for people that the thread is shared with: without what the answer read in other
 * threads, and without what opens its files for everyone. `fromStart` follows the run from its first entry, which says which parts that is.
 */
export function followAsMember(fromStart: FollowRun, after: number): FollowRun {
  return async function* (signal, mutex) {
    const filter = createEventFilter();
    const withoutSecrets = createSecretFilter();
    for await (const batch of fromStart(signal, mutex)) {
      if (batch === "reset") {
        yield batch;
        return;
      }
      const events = batch.map(({ seq, body }) => ({ seq, event: filter(JSON.parse(body) as RunEvent) }));
      const entries = withoutSecrets(events)
        .filter(({ seq }) => seq > after)
        .map(({ seq, event }) => ({ seq, body: JSON.stringify(event) }));
      if (entries.length > 0) yield entries;
    }
  };
}
