import { AppError } from "../lib/errors.ts";

/** The memory for request bodies that are read as a whole: bounded for each network address, and for all together. */
export type BodyMemory = {
  /** For one body. Without a `limitKey` it counts for all together only. */
  reserve(limitKey: string | undefined): Reservation;
};

export type Reservation = {
  /**
   * Takes memory for a piece of `bytes`. Where there is none left it gives everything back, so that no other body is
   * refused too, and throws `rate-limited` (the address has used its share) or `server-busy` (all have).
   */
  take(bytes: number): void;
  /** Gives everything back; a second call does nothing. */
  release(): void;
};

/** So much of each body is free: a connection costs about as much anyway, and messages of people are smaller. */
const freeBytes = 16 * 1024;
/** What Node keeps beside the bytes of each piece. Bodies may come in pieces of one byte. */
const pieceBytes = 512;
const retryAfterSeconds = 5;

export function createBodyMemory(max: { perAddressBytes: number; totalBytes: number }): BodyMemory {
  const takenBy = new Map<string, number>();
  let taken = 0;

  return {
    reserve(limitKey) {
      let held = 0;
      let free = freeBytes;

      function change(by: number): void {
        held += by;
        taken += by;
        if (limitKey === undefined) return;
        const own = (takenBy.get(limitKey) ?? 0) + by;
        if (own > 0) takenBy.set(limitKey, own);
        else takenBy.delete(limitKey);
      }

      function refuse(code: "rate-limited" | "server-busy"): never {
        change(-held);
        throw new AppError(code, { retryAfterSeconds });
      }

      return {
        take(bytes) {
          const wanted = Math.max(0, bytes + pieceBytes - free);
          free = Math.max(0, free - bytes - pieceBytes);
          if (wanted === 0) return;
          const own = limitKey === undefined ? 0 : (takenBy.get(limitKey) ?? 0);
          if (own + wanted > max.perAddressBytes) refuse("rate-limited");
          if (taken + wanted > max.totalBytes) refuse("server-busy");
          change(wanted);
        },
        release: () => change(-held),
      };
    },
  };
}
