/**
 * The same pieces until `signal` aborts: then its reason is thrown at once, also where the next piece is long in coming or
 * never comes.
 */
export async function* untilAborted<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const pieces = source[Symbol.asyncIterator]();
  let stop = (_reason: unknown): void => {};
  const aborted = (): void => stop(signal.reason);
  signal.addEventListener("abort", aborted);
  try {
    for (;;) {
      signal.throwIfAborted();
      // A promise for each: a race with one that lives as long as all of them leaves something there for every piece.
      const { promise, resolve, reject } = Promise.withResolvers<IteratorResult<T>>();
      stop = reject;
      pieces.next().then(resolve, reject);
      const next = await promise;
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    signal.removeEventListener("abort", aborted);
    // Not waited for: where a piece is still asked for, this ends after it.
    pieces.return?.().catch(() => {});
  }
}
