import type { RequestItem } from "#server/models/request-items.ts";

/** A stored request and what it was made from. */
export type StoredItems = { id: string; items: readonly RequestItem[] };

/** An item takes about 250 bytes: 25 MB. */
const itemsMax = 100_000;

/**
 * The last request of each thread that this process answered lately. The next answer of the thread begins with the same
 * messages, so that its receipt stores only what is new. After a restart, or for a thread that was forgotten, it stores
 * everything once.
 */
export function createLastItems() {
  const byThread = new Map<string, StoredItems>();
  let count = 0;

  function forget(threadId: string): void {
    count -= byThread.get(threadId)?.items.length ?? 0;
    byThread.delete(threadId);
  }

  return {
    get: (threadId: string): StoredItems | undefined => byThread.get(threadId),
    set(threadId: string, stored: StoredItems): void {
      forget(threadId);
      byThread.set(threadId, stored);
      count += stored.items.length;
      for (const oldest of byThread.keys()) {
        if (count <= itemsMax) return;
        forget(oldest);
      }
    },
  };
}

export type LastItems = ReturnType<typeof createLastItems>;
