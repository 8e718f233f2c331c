import { newId } from "#contract/ids.ts";
import { ask, askProxy } from "../support/parlance.ts";
import { median, percentile, type Bench } from "../support/report.ts";
import { withServices } from "../support/services.ts";

const rounds = 60;
const question = "tokens=5 gap=20";

/** The time from a question to its first token, through the server and through the proxy, alternately. */
export const firstToken: Bench = {
  about: "time to the first token, in turn with a bare proxy of the same model",
  async run() {
    return await withServices(async ({ proxy, person }) => {
      const ours: number[] = [];
      const bare: number[] = [];
      for (let round = -5; round < rounds; round++) {
        const throughServer = await timed((onToken) =>
          ask(person, newId("thread"), question, (event) => event.type === "text-delta" && onToken()),
        );
        const throughProxy = await timed((onToken) => askProxy(proxy.url, question, onToken));
        if (round < 0) continue;
        ours.push(throughServer);
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

async function timed(work: (onToken: () => void) => Promise<void>): Promise<number> {
  const from = performance.now();
  let first: number | undefined;
  await work(() => (first ??= performance.now() - from));
  if (first === undefined) throw new Error("no token was received");
  return first;
}
