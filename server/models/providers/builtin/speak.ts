import type { Clock } from "#server/lib/clock.ts";

/** 50 words a second: as fast as a quick reader follows, slow enough to see that it streams. */
export const readingPaceMs = 20;

/** The words of `text` with the space before them, the first at once, the others at their pace. Throws on abort. */
export async function* speak(
  text: string,
  pace: { wordMs: number; clock: Clock },
  signal: AbortSignal,
): AsyncGenerator<string> {
  let first = true;
  for (const [word] of text.matchAll(/\s*\S+|\s+$/g)) {
    if (!first && pace.wordMs > 0) await pace.clock.sleep(pace.wordMs, signal);
    first = false;
    signal.throwIfAborted();
    yield word;
  }
}
