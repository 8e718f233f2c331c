import { unlessAborted } from "../lib/unless-aborted.ts";

/**
 * A cache with a limit in bytes that evicts the least recently used entry. Concurrent calls for the same key share one
 * `create`; if that fails or is aborted, the next caller creates the value again.
 */
export type LruCache<T> = {
  getOrCreate(key: string, create: () => Promise<T>, signal: AbortSignal): Promise<T>;
  /** The next caller creates the value again. */
  forget(key: string): void;
};

export function createLruCache<T extends object | string>(
  bytesMax: number,
  sizeOf: (value: T) => number,
): LruCache<T> {
  const entries = new Map<string, { value: T; bytes: number }>();
  const pending = new Map<string, Promise<T>>();
  let bytes = 0;

  function add(key: string, value: T): void {
    const size = sizeOf(value);
    if (size > bytesMax) return;
    entries.set(key, { value, bytes: size });
    bytes += size;
    for (const oldest of entries.keys()) {
      if (bytes <= bytesMax) return;
      remove(oldest);
    }
  }

  function remove(key: string): void {
    bytes -= entries.get(key)?.bytes ?? 0;
    entries.delete(key);
  }

  return {
    forget: remove,
    async getOrCreate(key, create, signal) {
      for (;;) {
        const entry = entries.get(key);
        if (entry !== undefined) {
          entries.delete(key);
          entries.set(key, entry);
          return entry.value;
        }
        const other = pending.get(key);
        if (other === undefined) break;
        const value = await unlessAborted(
          other.catch(() => undefined),
          signal,
        );
        if (value !== undefined) return value;
      }
      const creating = create().finally(() => pending.delete(key));
      pending.set(key, creating);
      const value = await creating;
      add(key, value);
      return value;
    },
  };
}
