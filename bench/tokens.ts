import { emptyReply, foldOne } from "#contract/fold.ts";
import { newId } from "#contract/ids.ts";
import {
  ask,
  askProxy,
  signUp,
  startModel,
  startParlance,
  startProxy,
  type Person,
} from "./support/parlance.ts";
import type { Measured } from "./support/process.ts";
import { percentile, type Bench, type Figure } from "./support/report.ts";

const tokensPerRun = 500;
const gapMs = 20;

/** Streams at 50 tokens/s, one reader each: what a token costs us, whether one was lost, and how late it came. */
export const tokens: Bench = {
  about: "one run and 200 at once, 50 tokens/s each with a reader, beside a bare proxy",
  async run() {
    const model = await startModel();
    const proxy = await startProxy(model.url);
    const server = await startParlance({ OPENAI_BASE_URL: `${model.url}/v1` });
    try {
      const person = await signUp(server.url);
      await through(server, 1, (hear) => oneOfOurs(person, 20, hear));
      const figures: Figure[] = [];
      for (const runs of [1, 200]) {
        const bare = await through(proxy, runs, (hear) => askProxy(proxy.url, question(tokensPerRun), hear));
        const ours = await through(server, runs, (hear) => oneOfOurs(person, tokensPerRun, hear));
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
    } finally {
      await server.stop();
      await proxy.stop();
      await model.stop();
    }
  },
};

/** Each token of the fixture is the moment at which it was said. */
function question(count: number): string {
  return `tokens=${count} gap=${gapMs}\nstamp`;
}

async function oneOfOurs(person: Person, count: number, hear: (text: string) => void): Promise<void> {
  let reply = emptyReply;
  let expected = 1;
  await ask(person, newId("thread"), question(count), (event, seq) => {
    if (seq !== expected++) throw new Error(`event ${seq} came where ${expected - 1} was due`);
    reply = foldOne(reply, event);
    if (event.type === "text-delta") hear(event.text);
  });
  if (reply.end?.state !== "completed") throw new Error(`a run ended as ${reply.end?.state}`);
}

async function through(
  measured: Measured,
  runs: number,
  one: (hear: (text: string) => void) => Promise<void>,
) {
  const late: number[] = [];
  let heard = 0;
  let wrong = 0;
  const cpuBefore = measured.cpuMs();
  const from = performance.now();
  await Promise.all(
    Array.from({ length: runs }, async () => {
      let last = 0;
      await one((text) => {
        const now = performance.timeOrigin + performance.now();
        for (const stamp of text.split(" ").filter(Boolean).map(Number)) {
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
