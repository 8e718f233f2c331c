import { unlessAborted } from "../unless-aborted.ts";

/**
 * Runs one piece of work per key at a time, in the order of the calls. When `signal` aborts, a call rejects at once
 * with the signal's reason, and work that has not started is never started.
 */
export type KeyedMutex = <T>(key: string, work: () => Promise<T>, signal: AbortSignal) => Promise<T>;

export function createKeyedMutex(): KeyedMutex {
  const last = new Map<string, Promise<unknown>>();
  return async (key, work, signal) => {
    const result = (last.get(key) ?? Promise.resolve()).then(async () => {
      signal.throwIfAborted();
      return await work();
    });
    const settled = result.then(
      () => {},
      () => {},
    );
    last.set(key, settled);
    void settled.then(() => last.get(key) === settled && last.delete(key));
    return await unlessAborted(result, signal);
  };
}
