import type { NumberedRunEvent } from "#contract/run-events.ts";

/**
 * The received events of the visible runs, each from its first event, so that a tab that joins later gets the same
 * events without another request to the server.
 */
export type RunLogs = {
  /** Keeps the logs of these runs and drops all others. */
  keep: (runIds: ReadonlySet<string>) => void;
  add: (runId: string, event: NumberedRunEvent) => void;
  after: (runId: string, seq: number) => NumberedRunEvent[];
  /** Marks the run as ended: its log was deleted on the server. */
  end: (runId: string) => void;
  /** The kept runs that have not ended. */
  unfinished: () => Set<string>;
};

export function createRunLogs(): RunLogs {
  let logs = new Map<string, { events: NumberedRunEvent[]; ended: boolean }>();
  return {
    keep(runIds) {
      logs = new Map([...runIds].map((runId) => [runId, logs.get(runId) ?? { events: [], ended: false }]));
    },
    add(runId, event) {
      const log = logs.get(runId);
      if (log === undefined) return;
      log.events.push(event);
      if (event.event.type === "run-end") log.ended = true;
    },
    after: (runId, seq) => logs.get(runId)?.events.filter((event) => event.seq > seq) ?? [],
    end(runId) {
      const log = logs.get(runId);
      if (log !== undefined) log.ended = true;
    },
    unfinished: () => new Set([...logs].filter(([, log]) => !log.ended).map(([runId]) => runId)),
  };
}
