import { AppError } from "#server/lib/errors.ts";

/** Limits the memory for request bodies that are read as a whole, per network address and in total. */
export type BodyMemory = {
  /** A reservation for one body. Without a `limitKey` it counts for the total only. */
  reserve(limitKey: string | undefined): Reservation;
};

export type Reservation = {
  /**
   * Reserves memory for a chunk of `bytes`. If there is not enough, releases everything, so that no other body is
   * refused too, and throws `rate-limited` (limit of the address) or `server-busy` (total limit).
   */
  take(bytes: number): void;
  /** Releases everything. A second call does nothing. */
  release(): void;
};

/** The first bytes of each body are free: a connection costs about as much, and most messages are smaller. */
const freeBytes = 16 * 1024;
/** The overhead of each chunk in Node. Bodies can arrive in chunks of one byte. */
const chunkOverheadBytes = 512;
const retryAfterSeconds = 5;

export function createBodyMemory(max: { perAddressBytes: number; totalBytes: number }): BodyMemory {
  const usedBy = new Map<string, number>();
  let used = 0;

  return {
    reserve(limitKey) {
      let held = 0;
      let free = freeBytes;

      function change(by: number): void {
        held += by;
        used += by;
        if (limitKey === undefined) return;
        const own = (usedBy.get(limitKey) ?? 0) + by;
        if (own > 0) usedBy.set(limitKey, own);
        else usedBy.delete(limitKey);
      }

      function refuse(code: "rate-limited" | "server-busy"): never {
        change(-held);
        throw new AppError(code, { retryAfterSeconds });
      }

      return {
        take(bytes) {
          const needed = Math.max(0, bytes + chunkOverheadBytes - free);
          free = Math.max(0, free - bytes - chunkOverheadBytes);
          if (needed === 0) return;
          const own = limitKey === undefined ? 0 : (usedBy.get(limitKey) ?? 0);
          if (own + needed > max.perAddressBytes) refuse("rate-limited");
          if (used + needed > max.totalBytes) refuse("server-busy");
          change(needed);
        },
        release: () => change(-held),
      };
    },
  };
}
