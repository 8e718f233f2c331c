/** The pause before try `tries + 1`: 0.5 s doubling to 15 s, of which up to half is chance, so that not all come back at once. */
export function backoffMs(tries: number, random: () => number = Math.random): number {
  const whole = Math.min(15_000, 500 * 2 ** Math.min(tries, 10));
  return whole / 2 + (whole / 2) * random();
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
