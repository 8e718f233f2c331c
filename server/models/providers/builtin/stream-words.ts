import type { Clock } from "#server/lib/clock.ts";

/** 50 words per second: fast readers can follow, and people see that the answer streams. */
export const readingPaceMs = 20;

/** Yields the words of `text`, each with the space before it, `wordMs` apart. Throws on abort. */
export async function* streamWords(
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
