import { setImmediate } from "node:timers";

/** 5 ms: a tenth of a delay that a person notices in a stream, and enough for dozens of statements. */
const turnMaxMs = 5;

let turnStartedMs: number | undefined;

/**
 * SQLite answers synchronously, so a chain of awaited statements would keep timers and sockets waiting. Awaited between
 * statements, this yields to the event loop once its turn has lasted too long.
 */
export function yieldToEventLoop(): Promise<void> | undefined {
  if (turnStartedMs === undefined) {
    turnStartedMs = performance.now();
    setImmediate(() => (turnStartedMs = undefined));
    return undefined;
  }
  return performance.now() - turnStartedMs < turnMaxMs
    ? undefined
    : new Promise((resolve) => setImmediate(resolve));
}
