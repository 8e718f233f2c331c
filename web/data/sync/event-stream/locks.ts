/**
 * Web locks that show whether a tab is still open: a tab holds its lock from its first message until it is closed or
 * crashes. Browsers have locks only on secure pages (https or loopback).
 */

/**
 * Holds a lock with a new name until the page is closed. Resolves with the name only when the lock is held: another tab
 * that waits for it before that would get it, and would take this page for closed. `undefined` if there are no locks.
 */
export async function holdOwnLock(): Promise<string | undefined> {
  const manager = lockManager();
  if (manager === undefined) return undefined;
  const name = `parlance-tab-${crypto.randomUUID()}`;
  return await new Promise((resolve) => {
    const hold = async () => {
      resolve(name);
      await new Promise<never>(() => {});
    };
    manager.request(name, hold).catch(() => resolve(undefined));
  });
}

/** Resolves when the tab that held `name` is closed; never if there are no locks. */
export async function untilReleased(name: string): Promise<void> {
  const manager = lockManager();
  if (manager === undefined) return await new Promise<never>(() => {});
  await manager.request(name, () => {});
}

/**
 * Calls `lead` when this page becomes the leader. When it is closed or `signal` aborts, the next waiting page becomes the
 * leader.
 */
export function leadWhenFree(name: string, signal: AbortSignal, lead: () => void): void {
  void lockManager()
    ?.request(name, { signal }, async () => {
      lead();
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    })
    .catch(() => {});
}

export function hasLocks(): boolean {
  return lockManager() !== undefined;
}

function lockManager(): LockManager | undefined {
  return globalThis.navigator?.locks;
}
