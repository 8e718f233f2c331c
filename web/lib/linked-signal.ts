/** A signal that also aborts with another one. `release` unsubscribes from the other. */
export type LinkedSignal = { signal: AbortSignal; abort: (reason?: unknown) => void; release: () => void };

/** Like `AbortSignal.any`, which some supported browsers lack. */
export function linkedSignal(outer: AbortSignal | undefined): LinkedSignal {
  const own = new AbortController();
  const abort = (reason?: unknown) => own.abort(reason);
  const follow = () => own.abort(outer?.reason);
  if (outer?.aborted === true) follow();
  outer?.addEventListener("abort", follow);
  return { signal: own.signal, abort, release: () => outer?.removeEventListener("abort", follow) };
}
