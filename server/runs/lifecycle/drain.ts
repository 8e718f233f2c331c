import type { SteadyClock } from "#server/lib/clock.ts";
import type { Leases } from "../leases/leases.ts";
import type { Runner } from "../loop/runner.ts";

const pollMs = 50;

/** Waits until this process has no run in progress, for `graceMs`, or until `forceStop` aborts. */
export function createDrain(options: {
  clock: SteadyClock;
  leases: Leases;
  runner: Runner;
  graceMs: number;
}): (forceStop: AbortSignal) => Promise<void> {
  const { clock, leases, runner, graceMs } = options;
  return async (forceStop) => {
    const endMs = clock.elapsedMs() + graceMs;
    // Runs of protocol clients have a lease and are not the runner's.
    while ((leases.anyHeld() || runner.isBusy()) && !forceStop.aborted && clock.elapsedMs() < endMs)
      await clock.sleep(pollMs, forceStop).catch(() => {});
  };
}
