/**
 * Merges async generators in the order in which their items arrive. At most one item per source is buffered, so a slow
 * reader applies backpressure to all of them. Ends when all sources have ended. Stops all sources when the reader stops
 * or `signal` aborts. `more` returns the sources to add after an item.
 */
export async function* merge<T>(
  sources: Source<T>[],
  signal: AbortSignal,
  more: (item: T) => Source<T>[] = () => [],
): AsyncGenerator<T> {
  const stopped = new AbortController();
  const own = AbortSignal.any([signal, stopped.signal]);
  const running = new Set<AsyncGenerator<T>>();
  const arrived: Arrival<T>[] = [];
  let wake = () => {};
  // No `Promise.race` for each item, which would leak a reaction on the pending promise of every idle source.
  const advance = (source: AsyncGenerator<T>) => {
    const arrive = (outcome: Arrival<T>["outcome"]) => {
      arrived.push({ source, outcome });
      wake();
    };
    source.next().then(
      (item) => arrive({ item }),
      (error: unknown) => arrive({ error }),
    );
  };
  const add = (source: Source<T>) => {
    const added = source(own);
    running.add(added);
    advance(added);
  };
  for (const source of sources) add(source);
  try {
    while (running.size > 0) {
      if (arrived.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      for (const { source, outcome } of arrived.splice(0)) {
        if ("error" in outcome) throw outcome.error;
        if (outcome.item.done === true) {
          running.delete(source);
          continue;
        }
        for (const added of more(outcome.item.value)) add(added);
        yield outcome.item.value;
        advance(source);
      }
    }
  } finally {
    stopped.abort(new Error("the reader has stopped"));
    await Promise.allSettled([...running].map(async (source) => await source.return(undefined)));
  }
}

type Source<T> = (signal: AbortSignal) => AsyncGenerator<T>;
type Arrival<T> = { source: AsyncGenerator<T>; outcome: { item: IteratorResult<T> } | { error: unknown } };
