/** The log of a run's events. */
export function runTopic(runId: string): string {
  return `run:${runId}`;
}

/** Rung when someone asks a run to stop; nothing is logged under it. */
export function stopTopic(runId: string): string {
  return `stop:${runId}`;
}
