import type { NumberedRunEvent } from "#contract/run-events.ts";

/**
 * What was heard of the runs in view, each from its first event, so that a tab which comes later gets the same events
 * as the others without asking the service again.
 */
export type RunLogs = {
  /** Keeps these runs and forgets the others. */
  keep: (runIds: ReadonlySet<string>) => void;
  add: (runId: string, event: NumberedRunEvent) => void;
  after: (runId: string, seq: number) => NumberedRunEvent[];
  /** The run's log is no more; it is not to be followed again while it is kept. */
  end: (runId: string) => void;
  /** The kept runs that may still say something. */
  open: () => Set<string>;
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
    open: () => new Set([...logs].filter(([, log]) => !log.ended).map(([runId]) => runId)),
  };
}
