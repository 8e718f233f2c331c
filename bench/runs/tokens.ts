import type { Measured } from "../support/process.ts";
import { percentile, type Bench, type Figure } from "../support/report.ts";
import { withServices } from "../support/services.ts";
import {
  askProxyForTimestamps,
  askForTimestamps,
  askStreamForTimestamps,
  type OnTimestamps,
} from "../support/timestamped-answers.ts";

const tokensPerRun = 500;
const gapMs = 20;

type AskForTimestamps = typeof askForTimestamps;

/** Streams at 50 tokens/s with one reader each: processor time per token, lost tokens, and delay. */
export const tokens: Bench = {
  about: "one run and 200 at once, 50 tokens/s each with a reader, beside a bare proxy",
  run: async () => await figuresOf(askForTimestamps),
};

/** Like `tokens`, for answers that a client of the protocol stores: `POST /v1/runs/stream`. */
export const streamedTokens: Bench = {
  about: "one answer of /v1/runs/stream and 200 at once, 50 tokens/s each, beside a bare proxy",
  run: async () => await figuresOf(askStreamForTimestamps),
};

async function figuresOf(ask: AskForTimestamps): Promise<Figure[]> {
  return await withServices(async ({ server, proxy, person }) => {
    const tokens = { count: tokensPerRun, gapMs };
    await measure(server, 1, (onTimestamps) => ask(person, { ...tokens, count: 20 }, onTimestamps));
    const figures: Figure[] = [];
    for (const runs of [1, 200]) {
      const bare = await measure(proxy, runs, (onTimestamps) =>
        askProxyForTimestamps(proxy.url, tokens, onTimestamps),
      );
      const ours = await measure(server, runs, (onTimestamps) => ask(person, tokens, onTimestamps));
      figures.push(...compared(runs === 1 ? "1 run" : `${runs} runs`, ours, bare));
    }
    return figures;
  });
}

type Times = Awaited<ReturnType<typeof measure>>;

function compared(name: string, ours: Times, bare: Times): Figure[] {
  const against = "the proxy";
  return [
    {
      what: `${name}: processor time per token`,
      unit: "µs",
      ours: ours.cpuPerTokenUs,
      baseline: bare.cpuPerTokenUs,
      against,
    },
    {
      what: `${name}: p99 from the model's token to the reader`,
      unit: "ms",
      ours: ours.p99Ms,
      baseline: bare.p99Ms,
      against,
    },
    {
      what: `${name}: tokens lost or out of order`,
      unit: "",
      ours: ours.incorrect,
      aim: "0",
      met: ours.incorrect === 0,
    },
    {
      what: `${name}: seconds for ${tokensPerRun} tokens each`,
      unit: "s",
      ours: ours.seconds,
      baseline: bare.seconds,
      against,
    },
  ];
}

async function measure(measured: Measured, runs: number, ask: (onTimestamps: OnTimestamps) => Promise<void>) {
  const delaysMs: number[] = [];
  let received = 0;
  let incorrect = 0;
  const cpuBefore = measured.cpuMs();
  const from = performance.now();
  await Promise.all(
    Array.from({ length: runs }, async () => {
      let last = 0;
      await ask((timestamps) => {
        const now = performance.timeOrigin + performance.now();
        for (const timestamp of timestamps) {
          if (!(timestamp >= last)) incorrect += 1;
          last = timestamp;
          received += 1;
          delaysMs.push(now - timestamp);
        }
      });
    }),
  );
  const seconds = (performance.now() - from) / 1000;
  const cpuMs = measured.cpuMs() - cpuBefore;
  return {
    seconds,
    incorrect: incorrect + Math.abs(runs * tokensPerRun - received),
    cpuPerTokenUs: (cpuMs * 1000) / received,
    p99Ms: percentile(delaysMs, 99),
  };
}
