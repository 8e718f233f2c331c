/** At most `max` callers have a slot at the same time. The others wait in the order of their calls. */
export function createSemaphore({
  max,
  waitingMax = Infinity,
  fullError = () => new Error("too many callers wait"),
}: {
  max: number;
  waitingMax?: number;
  fullError?: () => Error;
}) {
  const waiting = new Set<() => void>();
  let taken = 0;

  /** Waits for a slot. Throws the signal's reason, and `fullError()` if `waitingMax` callers wait already. */
  async function acquire(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (taken < max) {
      taken++;
      return;
    }
    if (waiting.size >= waitingMax) throw fullError();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = () => {
      waiting.delete(resolve);
      reject(signal!.reason as Error);
    };
    waiting.add(resolve);
    signal?.addEventListener("abort", leave, { once: true });
    await promise.finally(() => signal?.removeEventListener("abort", leave));
  }

  /** Passes a slot on to the next caller. */
  function release(): void {
    const [next] = waiting;
    if (next === undefined) taken--;
    else waiting.delete(next);
    next?.();
  }

  /** Does `work` with a slot. */
  async function run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    await acquire(signal);
    try {
      return await work();
    } finally {
      release();
    }
  }

  return { acquire, release, run };
}
