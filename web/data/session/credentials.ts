import { CallError } from "../call-error.ts";

/** How this browser authenticates. */
export type Credentials = {
  /** The auth headers; opens a session first if there is none. Throws `CallError`. */
  headers: () => Promise<Record<string, string>>;
  /** The headers if they are there already, so that a request can be sent before the page renders what it changes. */
  current: () => Record<string, string> | undefined;
  /**
   * Replaces credentials that the server refused; `refused` is what `headers` returned. Concurrent calls share one
   * renewal. Throws `CallError`. The user stays the same unless the server says that the session has ended.
   */
  renew: (refused: Record<string, string>) => Promise<void>;
};

/** 1 s: a screen makes many requests at once, which should share one failed attempt. */
const failurePauseMs = 1_000;

/**
 * Concurrent calls share one run and its result. After a failure, calls fail with the same error for as long as the
 * server requests, or else for 1 s.
 */
export function singleFlight<Value>(
  run: () => Promise<Value>,
  now: () => number = Date.now,
): () => Promise<Value> {
  let running: Promise<Value> | undefined;
  let failed: { error: unknown; untilMs: number } | undefined;
  return async () => {
    if (running !== undefined) return await running;
    if (failed !== undefined && now() < failed.untilMs) throw failed.error;
    running = run();
    try {
      const value = await running;
      failed = undefined;
      return value;
    } catch (error) {
      failed = {
        error,
        untilMs: now() + ((error instanceof CallError ? error.retryAfterMs : undefined) ?? failurePauseMs),
      };
      throw error;
    } finally {
      running = undefined;
    }
  };
}

/**
 * Runs under a lock that all tabs of this browser share: otherwise two tabs that start without a session create two
 * visitors. Without locks (plain http, except loopback) it just runs.
 */
export async function withTabLock<Value>(name: string, run: () => Promise<Value>): Promise<Value> {
  const locks: LockManager | undefined = globalThis.navigator?.locks;
  if (locks === undefined) return await run();
  return await locks.request(name, run);
}
