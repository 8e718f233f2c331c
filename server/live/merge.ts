/**
 * Several sources as one, each in its own order, whichever has something first. At most one item of each is held, so a
 * slow reader slows them all and nothing piles up. Ends when all have ended; when the reader stops or `signal` aborts,
 * all are stopped.
 */
export async function* merge<T>(
  sources: ((signal: AbortSignal) => AsyncGenerator<T>)[],
  signal: AbortSignal,
): AsyncGenerator<T> {
  const stopped = new AbortController();
  const own = AbortSignal.any([signal, stopped.signal]);
  const running = new Set(sources.map((source) => source(own)));
  const arrived: Arrival<T>[] = [];
  let wake = () => {};
  // Not a race over all of them for every item: a race leaves something behind in each source that stays silent.
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
  for (const source of running) advance(source);
  try {
    while (running.size > 0) {
      if (arrived.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      for (const { source, outcome } of arrived.splice(0)) {
        if ("error" in outcome) throw outcome.error;
        if (outcome.item.done === true) {
          running.delete(source);
          continue;
        }
        yield outcome.item.value;
        advance(source);
      }
    }
  } finally {
    stopped.abort(new Error("the reader has stopped"));
    await Promise.allSettled([...running].map(async (source) => await source.return(undefined)));
  }
}

type Arrival<T> = { source: AsyncGenerator<T>; outcome: { item: IteratorResult<T> } | { error: unknown } };
