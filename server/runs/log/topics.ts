/** The log of a run's events. */
export function runTopic(runId: string): string {
  return `run:${runId}`;
}

/** Rung when someone asks a run to stop; nothing is logged under it. */
export function stopTopic(runId: string): string {
  return `stop:${runId}`;
}

/** Rung when a run came to another workspace, so that those it was taken from stop reading it. */
export function movedTopic(runId: string): string {
  return `moved:${runId}`;
}
