import { unlessAborted } from "../lib/unless-aborted.ts";

/**
 * What was made of files a moment ago, up to so many bytes; what was not asked for the longest goes first. Who asks for
 * what is being made waits for it, as long as `signal` lets, and makes it once more where the maker failed or left.
 */
export type AtHand<T> = {
  take(key: string, make: () => Promise<T>, signal: AbortSignal): Promise<T>;
};

export function createAtHand<T extends object | string>(
  bytesMax: number,
  sizeOf: (made: T) => number,
): AtHand<T> {
  const made = new Map<string, { value: T; bytes: number }>();
  const underWay = new Map<string, Promise<T>>();
  let bytes = 0;

  function keep(key: string, value: T): void {
    const size = sizeOf(value);
    if (size > bytesMax) return;
    made.set(key, { value, bytes: size });
    bytes += size;
    for (const [oldest, entry] of made) {
      if (bytes <= bytesMax) return;
      made.delete(oldest);
      bytes -= entry.bytes;
    }
  }

  return {
    async take(key, make, signal) {
      for (;;) {
        const there = made.get(key);
        if (there !== undefined) {
          made.delete(key);
          made.set(key, there);
          return there.value;
        }
        const others = underWay.get(key);
        if (others === undefined) break;
        const value = await unlessAborted(
          others.catch(() => undefined),
          signal,
        );
        if (value !== undefined) return value;
      }
      const making = make().finally(() => underWay.delete(key));
      underWay.set(key, making);
      const value = await making;
      keep(key, value);
      return value;
    },
  };
}
