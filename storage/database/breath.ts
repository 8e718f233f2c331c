import { setImmediate } from "node:timers";

/** 5 ms: a tenth of what a person notices in a stream, and dozens of statements. */
const longMs = 5;

let turnStartedMs: number | undefined;

/**
 * SQLite answers without leaving the thread, so a chain of awaited statements never lets timers and sockets have
 * their turn. Awaited between statements, this lets them in when the turn has lasted too long.
 */
export function breath(): Promise<void> | undefined {
  if (turnStartedMs === undefined) {
    turnStartedMs = performance.now();
    setImmediate(() => (turnStartedMs = undefined));
    return undefined;
  }
  return performance.now() - turnStartedMs < longMs
    ? undefined
    : new Promise((resolve) => setImmediate(resolve));
}
