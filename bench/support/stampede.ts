import { setTimeout as sleep } from "node:timers/promises";
import type { Measured } from "./process.ts";
import { percentile } from "./report.ts";
import type { HearStamps } from "./stamped.ts";

export type Stampede = {
  runs: number;
  gapMs: number;
  /** Over how long the runs begin, and how long all of them are watched then. */
  rampMs: number;
  windowMs: number;
};

export type Outcome = {
  /** Tokens that never came, or out of their order, of all runs from beginning to end. */
  wrong: number;
  /** In the window: from the model's token to the reader. */
  p50Ms: number;
  p99Ms: number;
  /** In the window: of the process that is measured. */
  cpuPerTokenUs: number;
  /** In the window: of the processor that one thread can have. */
  busy: number;
  tokensPerSecond: number;
  /** When the window began and ended, in milliseconds since 1970. */
  window: [fromMs: number, toMs: number];
};

/** Begins many runs, each with its reader, and watches them when all of them are under way. */
export async function stampede(
  measured: Measured,
  { runs, gapMs, rampMs, windowMs }: Stampede,
  one: (tokens: { count: number; gapMs: number }, hear: HearStamps) => Promise<void>,
): Promise<Outcome> {
  // One more second, for runs that begin late.
  const count = Math.ceil((rampMs + windowMs + 1_000) / gapMs);
  const late: number[] = [];
  let watching = false;
  let heard = 0;
  let outOfOrder = 0;
  const reading: Promise<void>[] = [];
  for (let n = 0; n < runs; n++) {
    let last = 0;
    reading.push(
      one({ count, gapMs }, (stamps) => {
        const nowMs = performance.timeOrigin + performance.now();
        for (const stamp of stamps) {
          if (!(stamp >= last)) outOfOrder++;
          last = stamp;
          heard++;
          if (watching) late.push(nowMs - stamp);
        }
      }),
    );
    await sleep(rampMs / runs);
  }
  // Failures are reported at the end.
  const whole = Promise.all(reading);
  whole.catch(() => {});
  const fromMs = Date.now();
  const cpuBefore = measured.cpuMs();
  watching = true;
  await sleep(windowMs);
  watching = false;
  const cpuMs = measured.cpuMs() - cpuBefore;
  const toMs = Date.now();
  await whole;
  return {
    wrong: outOfOrder + Math.abs(runs * count - heard),
    p50Ms: percentile(late, 50),
    p99Ms: percentile(late, 99),
    cpuPerTokenUs: (cpuMs * 1_000) / late.length,
    busy: cpuMs / (toMs - fromMs),
    tokensPerSecond: (late.length * 1_000) / (toMs - fromMs),
    window: [fromMs, toMs],
  };
}
