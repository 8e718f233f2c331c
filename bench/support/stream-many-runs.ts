import { setTimeout as sleep } from "node:timers/promises";
import type { Measured } from "./process.ts";
import { percentile } from "./report.ts";
import type { OnTimestamps } from "./timestamped-answers.ts";

export type ManyRuns = {
  runs: number;
  gapMs: number;
  /** The runs start within `rampMs`, and are then measured for `windowMs`. */
  rampMs: number;
  windowMs: number;
};

export type Outcome = {
  /** Tokens lost or out of order, in all runs from start to end. */
  incorrect: number;
  /** From the model's token to the reader, in the window. */
  p50Ms: number;
  p99Ms: number;
  /** Processor time of the measured process, in the window. */
  cpuPerTokenUs: number;
  /** Processors in use by the measured process, in the window. */
  processors: number;
  tokensPerSecond: number;
  /** The window, in milliseconds since 1970. */
  window: [fromMs: number, toMs: number];
};

/** Starts many runs, each with a reader, and measures them when all are in progress. */
export async function streamManyRuns(
  measured: Measured,
  { runs, gapMs, rampMs, windowMs }: ManyRuns,
  ask: (tokens: { count: number; gapMs: number }, onTimestamps: OnTimestamps) => Promise<void>,
): Promise<Outcome> {
  // One more second, for runs that start late.
  const count = Math.ceil((rampMs + windowMs + 1_000) / gapMs);
  const delaysMs: number[] = [];
  let isInWindow = false;
  let received = 0;
  let outOfOrder = 0;
  const reading: Promise<void>[] = [];
  for (let n = 0; n < runs; n++) {
    let last = 0;
    reading.push(
      ask({ count, gapMs }, (timestamps) => {
        const nowMs = performance.timeOrigin + performance.now();
        for (const timestamp of timestamps) {
          if (!(timestamp >= last)) outOfOrder++;
          last = timestamp;
          received++;
          if (isInWindow) delaysMs.push(nowMs - timestamp);
        }
      }),
    );
    await sleep(rampMs / runs);
  }
  // Failures are reported at the end.
  const finished = Promise.all(reading);
  finished.catch(() => {});
  const fromMs = Date.now();
  const cpuBefore = measured.cpuMs();
  isInWindow = true;
  await sleep(windowMs);
  isInWindow = false;
  const cpuMs = measured.cpuMs() - cpuBefore;
  const toMs = Date.now();
  await finished;
  return {
    incorrect: outOfOrder + Math.abs(runs * count - received),
    p50Ms: percentile(delaysMs, 50),
    p99Ms: percentile(delaysMs, 99),
    cpuPerTokenUs: (cpuMs * 1_000) / delaysMs.length,
    processors: cpuMs / (toMs - fromMs),
    tokensPerSecond: (delaysMs.length * 1_000) / (toMs - fromMs),
    window: [fromMs, toMs],
  };
}
