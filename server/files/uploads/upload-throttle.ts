/**
 * Throttles the uploads and imports that this server receives. The chunks of all files pass one per turn of the event
 * loop, so that other work runs between them. The file that started first goes first, so that files finish one after
 * another and not all at the same late moment.
 */
export type UploadThrottle = {
  /** Adds a file behind those that started before. */
  start(): Throttle;
};

/** Resolves when the next chunk of this size may pass. */
export type Throttle = (bytes: number) => Promise<void>;

/**
 * The limit while answers are streaming: 48 MiB/s, 400 Mbit/s. Receiving that takes a third of a slow processor's time,
 * in steps of a millisecond, so that answers stay as fast as without uploads.
 */
export const streamingBytesPerSecond = 48 * 1024 * 1024;
/** The work at the start and the end of each file, mostly commits, takes as long as 256 KiB of its bytes. */
export const commitCostBytes = 256 * 1024;
/** How much lost time may be made up for when a timer fires late. */
const catchUpMs = 5;
/** How soon the throttle notices that the last answer has ended. */
const recheckMs = 20;
/** A chunk that waited this long goes first: proxies close connections that are idle for a minute. */
const waitMaxMs = 5_000;

type Waiting = { order: number; bytes: number; sinceMs: number; pass: () => void };

/** `isStreaming`: whether the server is streaming an answer now. */
export function createUploadThrottle({ isStreaming }: { isStreaming: () => boolean }): UploadThrottle {
  /** In the order of their arrival. */
  const waiting: Waiting[] = [];
  let started = 0;
  let isRunning = false;
  let nextMs = 0;

  function passNext(): void {
    const nowMs = performance.now();
    const isLimited = isStreaming();
    if (isLimited && nextMs > nowMs) return void setTimeout(passNext, Math.min(nextMs - nowMs, recheckMs));
    const { bytes, pass } = takeNext(nowMs);
    // Bytes that pass while nothing is streaming do not count against the limit.
    nextMs = isLimited
      ? Math.max(nextMs, nowMs - catchUpMs) + (bytes / streamingBytesPerSecond) * 1000
      : nowMs;
    pass();
    if (waiting.length > 0) setImmediate(passNext);
    else isRunning = false;
  }

  function takeNext(nowMs: number): Waiting {
    let best = 0;
    if (nowMs - waiting[0]!.sinceMs < waitMaxMs)
      for (const [index, { order }] of waiting.entries()) if (order < waiting[best]!.order) best = index;
    return waiting.splice(best, 1)[0]!;
  }

  return {
    start() {
      const order = started++;
      return async (bytes) =>
        await new Promise((pass) => {
          waiting.push({ order, bytes, sinceMs: performance.now(), pass });
          if (isRunning) return;
          isRunning = true;
          setImmediate(passNext);
        });
    },
  };
}
