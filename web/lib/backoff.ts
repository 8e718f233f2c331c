/** The pause after `tries` retries: 0.5 s, doubling up to `maxMs`. Up to half of it is random, so that clients do not retry in step. */
export function backoffMs(tries: number, random: () => number = Math.random, maxMs = 15_000): number {
  const fullMs = Math.min(maxMs, 500 * 2 ** Math.min(tries, 10));
  return fullMs / 2 + (fullMs / 2) * random();
}

/** A pause that ends early when `signal` aborts. Never throws. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted === true) return;
  await new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener("abort", end);
  });
}
