import { newId } from "#contract/ids.ts";
import { ask, askProxy } from "./support/parlance.ts";
import { median, percentile, type Bench } from "./support/report.ts";
import { withServices } from "./support/services.ts";

const rounds = 60;
const question = "tokens=5 gap=20";

/** From the moment of asking until the first token is read, through us and through the proxy, in turn. */
export const firstToken: Bench = {
  about: "time to the first token, in turn with a bare proxy of the same model",
  async run() {
    return await withServices(async ({ proxy, person }) => {
      const ours: number[] = [];
      const bare: number[] = [];
      for (let round = -5; round < rounds; round++) {
        const throughUs = await timed((heard) =>
          ask(person, newId("thread"), question, (event) => event.type === "text-delta" && heard()),
        );
        const throughProxy = await timed((heard) => askProxy(proxy.url, question, heard));
        if (round < 0) continue;
        ours.push(throughUs);
        bare.push(throughProxy);
      }
      const over = median(ours) - median(bare);
      return [
        {
          what: "first token, median",
          unit: "ms",
          ours: median(ours),
          baseline: median(bare),
          against: "the proxy",
          aim: "at most 15 ms over the proxy",
          met: over <= 15,
        },
        { what: "over the proxy, median", unit: "ms", ours: over },
        {
          what: "first token, p95",
          unit: "ms",
          ours: percentile(ours, 95),
          baseline: percentile(bare, 95),
          against: "the proxy",
        },
      ];
    });
  },
};

async function timed(work: (heard: () => void) => Promise<void>): Promise<number> {
  const from = performance.now();
  let first: number | undefined;
  await work(() => (first ??= performance.now() - from));
  if (first === undefined) throw new Error("no token was heard");
  return first;
}
