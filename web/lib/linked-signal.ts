/** A signal of one's own that aborts with another one too. `release` lets go of the other. */
export type LinkedSignal = { signal: AbortSignal; abort: (reason?: unknown) => void; release: () => void };

/** What `AbortSignal.any` does, for the browsers of our promise that lack it. */
export function linkedSignal(outer: AbortSignal | undefined): LinkedSignal {
  const own = new AbortController();
  const abort = (reason?: unknown) => own.abort(reason);
  const follow = () => own.abort(outer?.reason);
  if (outer?.aborted === true) follow();
  outer?.addEventListener("abort", follow);
  return { signal: own.signal, abort, release: () => outer?.removeEventListener("abort", follow) };
}
