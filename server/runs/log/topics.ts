/** The log of a run's events. */
export function runTopic(runId: string): string {
  return `run:${runId}`;
}

/** Published when a run is asked to stop. It has no log. */
export function stopTopic(runId: string): string {
  return `stop:${runId}`;
}

/** Published when a run moves to another workspace, so that readers of the old one stop. It has no log. */
export function movedTopic(runId: string): string {
  return `moved:${runId}`;
}

/** Published when a process has handed over runs. It has no log. */
export const handedOverTopic = "handed-over";
