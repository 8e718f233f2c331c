/**
 * Locks that tell whether a tab still lives: it holds one from its first word to its end, however it ends. Browsers
 * have them where a page is secure (https or loopback).
 */

/**
 * Holds a lock of a new name for the life of this page, and names it once it is held: whoever waits for a lock that is
 * not held yet takes this page for gone. `undefined` where there are no locks.
 */
export async function holdOwnLock(): Promise<string | undefined> {
  const all = locks();
  if (all === undefined) return undefined;
  const name = `parlance-tab-${crypto.randomUUID()}`;
  return await new Promise((resolve) => {
    const hold = async () => {
      resolve(name);
      await new Promise<never>(() => {});
    };
    all.request(name, hold).catch(() => resolve(undefined));
  });
}

/** Resolves when the tab that held `name` is gone. Never, where there are no locks. */
export async function untilReleased(name: string): Promise<void> {
  const all = locks();
  if (all === undefined) return await new Promise<never>(() => {});
  await all.request(name, () => {});
}

/** Calls `lead` once this page is the one that leads; the next one's turn comes when it is gone. */
export function leadWhenFree(name: string, lead: () => void): void {
  void locks()
    ?.request(name, async () => {
      lead();
      await new Promise<never>(() => {});
    })
    .catch(() => {});
}

export function hasLocks(): boolean {
  return locks() !== undefined;
}

function locks(): LockManager | undefined {
  return globalThis.navigator?.locks;
}
