import { setImmediate as letOthersIn } from "node:timers/promises";

/** 5 ms of work, then others have theirs. */
const turnMs = 5;

/** Long work in turns: call it between two small pieces. */
export function inTurns(): () => Promise<void> {
  let startedMs = performance.now();
  return async () => {
    if (performance.now() - startedMs < turnMs) return;
    await letOthersIn();
    startedMs = performance.now();
  };
}
