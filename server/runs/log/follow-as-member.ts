import type { RunEvent } from "#contract/run-events.ts";
import { createSecretFilter } from "#server/parts/file-url-events.ts";
import { createEventFilter } from "#server/parts/other-thread-events.ts";
import type { FollowRun } from "./follow-run.ts";

/**
 * The log entries after number `after` for a member of a shared thread. Leaves out results from the owner's other threads,
 * and the secrets in file URLs. `fromStart` must begin with the first entry, because the filter learns from earlier events
 * what to leave out.
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
