import { signUp, type Parlance } from "./parlance.ts";
import type { Figure } from "./report.ts";
import { askStamped } from "./stamped.ts";
import { stampede, type Outcome } from "./stampede.ts";

const runs = 100;
const gapMs = 50;
/** Over how long the runs begin, and how long they are watched then. */
export const rampMs = 4_000;
export const windowMs = 20_000;
/** Windows with a disturbance and without, in turns: the machine is not the same from minute to minute. */
const turns = 2;
const aimedRatio = 1.2;

/** The delay of tokens while `disturb` runs, which begins with the runs and ends with their window. */
export async function disturbed(
  server: Parlance,
  what: string,
  disturb: () => Promise<void>,
): Promise<Figure[]> {
  const person = await signUp(server.url);
  const stream = async (): Promise<Outcome> =>
    await stampede(server, { runs, gapMs, rampMs, windowMs }, (tokens, hear) =>
      askStamped(person, tokens, hear),
    );
  const alone: Outcome[] = [];
  const beside: Outcome[] = [];
  for (let turn = 0; turn < turns; turn++) {
    alone.push(await stream());
    const [outcome] = await Promise.all([stream(), disturb()]);
    beside.push(outcome);
  }
  const [p99Ms, aloneMs] = [meanOfP99(beside), meanOfP99(alone)];
  const wrong = [...alone, ...beside].reduce((sum, outcome) => sum + outcome.wrong, 0);
  return [
    {
      what: `${runs} runs: p99 from the model's token to the reader, mean of ${turns} windows`,
      unit: "ms",
      ours: p99Ms,
      baseline: aloneMs,
      against: `the same runs without ${what}`,
      aim: `at most ${aimedRatio} ×`,
      met: p99Ms <= aimedRatio * aloneMs,
    },
    {
      what: `${runs} runs: tokens lost or out of order`,
      unit: "",
      ours: wrong,
      aim: "0",
      met: wrong === 0,
    },
  ];
}

function meanOfP99(outcomes: Outcome[]): number {
  return outcomes.reduce((sum, { p99Ms }) => sum + p99Ms, 0) / outcomes.length;
}
