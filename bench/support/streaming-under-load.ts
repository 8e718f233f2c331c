import { signUp, type Parlance } from "./parlance.ts";
import type { Figure } from "./report.ts";
import { askForTimestamps } from "./timestamped-answers.ts";
import { streamManyRuns, type Outcome } from "./stream-many-runs.ts";

const runs = 100;
const gapMs = 50;
/** The runs start within `rampMs`, and are then measured for `windowMs`. */
export const rampMs = 4_000;
export const windowMs = 20_000;
/** Windows alternate with and without load, because the speed of the machine changes. */
const pairs = 2;
const maxRatio = 1.2;

/** Measures the delay of tokens while `load` runs. It starts with the runs and must end with their window. */
export async function streamUnderLoad(
  server: Parlance,
  loadName: string,
  load: () => Promise<void>,
): Promise<Figure[]> {
  const person = await signUp(server.url);
  const stream = async (): Promise<Outcome> =>
    await streamManyRuns(server, { runs, gapMs, rampMs, windowMs }, (tokens, onTimestamps) =>
      askForTimestamps(person, tokens, onTimestamps),
    );
  const alone: Outcome[] = [];
  const underLoad: Outcome[] = [];
  for (let pair = 0; pair < pairs; pair++) {
    alone.push(await stream());
    const [outcome] = await Promise.all([stream(), load()]);
    underLoad.push(outcome);
  }
  const [p99Ms, aloneMs] = [meanOfP99(underLoad), meanOfP99(alone)];
  const incorrect = [...alone, ...underLoad].reduce((sum, outcome) => sum + outcome.incorrect, 0);
  return [
    {
      what: `${runs} runs: p99 from the model's token to the reader, mean of ${pairs} windows`,
      unit: "ms",
      ours: p99Ms,
      baseline: aloneMs,
      against: `the same runs without ${loadName}`,
      aim: `at most ${maxRatio} ×`,
      met: p99Ms <= maxRatio * aloneMs,
    },
    {
      what: `${runs} runs: tokens lost or out of order`,
      unit: "",
      ours: incorrect,
      aim: "0",
      met: incorrect === 0,
    },
  ];
}

function meanOfP99(outcomes: Outcome[]): number {
  return outcomes.reduce((sum, { p99Ms }) => sum + p99Ms, 0) / outcomes.length;
}
