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

/** Runs one at a time what is asked at the same time, and answers all who asked alike. */
export function single<Value>(run: () => Promise<Value>): () => Promise<Value> {
  let running: Promise<Value> | undefined;
  return () => (running ??= run().finally(() => (running = undefined)));
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
