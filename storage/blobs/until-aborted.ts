/** Passes chunks through until `signal` aborts. Then it throws the signal's reason, without waiting for the next chunk. */
export async function* untilAborted<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const chunks = source[Symbol.asyncIterator]();
  let stop = (_reason: unknown): void => {};
  const aborted = (): void => stop(signal.reason);
  signal.addEventListener("abort", aborted);
  try {
    for (;;) {
      signal.throwIfAborted();
      // A new promise for each chunk: a race with one long-lived promise would leak memory with every chunk.
      const { promise, resolve, reject } = Promise.withResolvers<IteratorResult<T>>();
      stop = reject;
      chunks.next().then(resolve, reject);
      const next = await promise;
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    signal.removeEventListener("abort", aborted);
    // Not awaited: it resolves only after the pending chunk.
    chunks.return?.().catch(() => {});
  }
}
