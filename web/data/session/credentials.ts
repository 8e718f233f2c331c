import { CallError } from "../call-error.ts";

/** Who this browser is to the service. */
export type Credentials = {
  /** The headers that say so; opens the session first where there is none. Throws `CallError`. */
  headers: () => Promise<Record<string, string>>;
  /**
   * The service did not take `refused` (what `headers` answered): gets another, once for all who ask at the same
   * time. Throws `CallError`; what the person is stays as it was unless the service said that it is over.
   */
  renew: (refused: Record<string, string>) => Promise<void>;
};

/** 1 s: a screen asks for many things at once, and a session that just failed to open fails for all of them. */
const restMs = 1_000;

/**
 * Runs once what is asked at the same time, and answers all who asked alike. After a failure it rests, for as long as
 * the service said or a moment, and fails in the same way meanwhile.
 */
export function single<Value>(run: () => Promise<Value>, now: () => number = Date.now): () => Promise<Value> {
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
        untilMs: now() + ((error instanceof CallError ? error.retryAfterMs : undefined) ?? restMs),
      };
      throw error;
    } finally {
      running = undefined;
    }
  };
}

/**
 * Alone among the tabs of this browser, where the browser can do that (it cannot on plain http beyond loopback): two
 * tabs that find no session at the same time would otherwise become two visitors.
 */
export async function alone<Value>(name: string, run: () => Promise<Value>): Promise<Value> {
  const locks: LockManager | undefined = globalThis.navigator?.locks;
  if (locks === undefined) return await run();
  return await locks.request(name, run);
}
