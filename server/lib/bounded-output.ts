import type { Writable } from "node:stream";

/**
 * Writes lines to `stream` and never waits for its reader. Up to `maxBytes` are kept while the reader reads nothing, such
 * as a stopped log collector at the end of a pipe. Lines beyond that are dropped; `describeDrops` returns the line that
 * reports their number as soon as there is space again.
 */
export function createBoundedOutput(
  stream: Writable,
  { maxBytes, describeDrops }: { maxBytes: number; describeDrops: (count: number) => string },
): { write(line: string): void } {
  let dropped = 0;

  function reportDrops(): void {
    if (dropped === 0) return;
    stream.write(describeDrops(dropped));
    dropped = 0;
  }

  stream.on("drain", reportDrops);
  // The reader has closed the stream. The server continues without a log.
  stream.on("error", () => {});
  return {
    write(line) {
      if (stream.destroyed || stream.writableLength + line.length > maxBytes) dropped++;
      else stream.write(line);
    },
  };
}

/** Resolves when everything is written, or after `maxMs` if the reader reads nothing. */
export async function drained(stream: Writable, maxMs: number): Promise<void> {
  if (stream.writableLength === 0 || stream.destroyed) return;
  await new Promise<void>((resolve) => {
    setTimeout(resolve, maxMs);
    stream.once("drain", resolve);
    stream.once("error", () => resolve());
  });
}
