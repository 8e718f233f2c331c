import type { Measured } from "./support/process.ts";
import { percentile, type Bench, type Figure } from "./support/report.ts";
import { withServices } from "./support/services.ts";
import { askProxyStamped, askStamped, type HearStamps } from "./support/stamped.ts";

const tokensPerRun = 500;
const gapMs = 20;

/** Streams at 50 tokens/s, one reader each: what a token costs us, whether one was lost, and how late it came. */
export const tokens: Bench = {
  about: "one run and 200 at once, 50 tokens/s each with a reader, beside a bare proxy",
  async run() {
    return await withServices(async ({ server, proxy, person }) => {
      const tokens = { count: tokensPerRun, gapMs };
      await through(server, 1, (hear) => askStamped(person, { ...tokens, count: 20 }, hear));
      const figures: Figure[] = [];
      for (const runs of [1, 200]) {
        const bare = await through(proxy, runs, (hear) => askProxyStamped(proxy.url, tokens, hear));
        const ours = await through(server, runs, (hear) => askStamped(person, tokens, hear));
        const name = runs === 1 ? "1 run" : `${runs} runs`;
        figures.push(
          {
            what: `${name}: processor time per token`,
            unit: "µs",
            ours: ours.cpuPerTokenUs,
            baseline: bare.cpuPerTokenUs,
            against: "the proxy",
          },
          {
            what: `${name}: p99 from the model's token to the reader`,
            unit: "ms",
            ours: ours.p99Ms,
            baseline: bare.p99Ms,
            against: "the proxy",
          },
          {
            what: `${name}: tokens lost or out of order`,
            unit: "",
            ours: ours.wrong,
            aim: "0",
            met: ours.wrong === 0,
          },
          {
            what: `${name}: seconds for ${tokensPerRun} tokens each`,
            unit: "s",
            ours: ours.seconds,
            baseline: bare.seconds,
            against: "the proxy",
          },
        );
      }
      return figures;
    });
  },
};

async function through(measured: Measured, runs: number, one: (hear: HearStamps) => Promise<void>) {
  const late: number[] = [];
  let heard = 0;
  let wrong = 0;
  const cpuBefore = measured.cpuMs();
  const from = performance.now();
  await Promise.all(
    Array.from({ length: runs }, async () => {
      let last = 0;
      await one((stamps) => {
        const now = performance.timeOrigin + performance.now();
        for (const stamp of stamps) {
          if (!(stamp >= last)) wrong += 1;
          last = stamp;
          heard += 1;
          late.push(now - stamp);
        }
      });
    }),
  );
  const seconds = (performance.now() - from) / 1000;
  const cpuMs = measured.cpuMs() - cpuBefore;
  return {
    seconds,
    wrong: wrong + Math.abs(runs * tokensPerRun - heard),
    cpuPerTokenUs: (cpuMs * 1000) / heard,
    p99Ms: percentile(late, 99),
  };
}
