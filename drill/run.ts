import { setTimeout as sleep } from "node:timers/promises";
import { compare, noFindings, type Findings } from "./check.ts";
import { serversOn, type Drill } from "./drills.ts";
import { gather, type Ask, type Crowd } from "./people.ts";
import { buildStage, type EngineName, type Stage } from "./stage.ts";
import { createChance, type Chance } from "#fixtures/chance.ts";

export type Result = {
  drill: string;
  engine: EngineName;
  rounds: number;
  /** Answers in progress at the time of the failure: the minimum and the mean over the rounds. */
  underWay: { least: number; mean: number };
  seconds: number;
  /** Sentences about the first few things that went wrong. */
  wrong: string[];
} & Findings;

export type RunOptions = {
  rounds: number;
  /** People who talk at once. */
  people: number;
  seed: number;
  say?: (line: string) => void;
};

/** A lease, a look for the abandoned, and a slow machine. */
const quietMaxMs = 120_000;
const busyMaxMs = 60_000;
/** How many runs are read again at the end, and how many interrupted answers are continued. */
const laterReaders = 200;
const continuedAtEnd = 50;

/** Runs one drill: people ask, `rounds` failures are caused, and what they saw is compared with the database. */
export async function runDrill(
  name: string,
  drill: Drill,
  engine: EngineName,
  { rounds, people, seed, say = () => {} }: RunOptions,
): Promise<Result> {
  const startedMs = performance.now();
  const chance = createChance(seed);
  const found = noFindings();
  const folder = drill.folder?.();
  let stage: Stage | undefined;
  try {
    stage = await buildStage({
      engine,
      servers: serversOn(drill, engine),
      ...(folder === undefined ? {} : { dataDir: folder.path }),
      ...(drill.hasMovableClock === undefined ? {} : { hasMovableClock: true }),
    });
    const crowd = gather(stage.url, people, chance.fork());
    const moments: number[] = [];
    for (let round = 1; round <= rounds; round++) {
      await untilBusy(crowd, people / 2);
      await sleep(chance.between(50, 1_200));
      moments.push(crowd.underWay());
      await drill.disturb(stage, chance, crowd.story);
      if (round % 10 === 0)
        say(`  ${round} of ${rounds} rounds, ${crowd.story.asks.length} answers asked for`);
    }
    await crowd.quiet(quietMaxMs);
    const wrong = await lookBack(crowd, drill, found, chance);
    for (const server of stage.servers) {
      found.losses["servers that died by themselves"] += server.deaths;
      if (server.deaths > 0) wrong.push(server.words().slice(-2_000));
      await server.end("SIGTERM");
    }
    await compare(crowd.story, stage.place, found);
    wrong.push(...crowd.story.mistakes);
    return {
      drill: name,
      engine,
      rounds,
      underWay: {
        least: Math.min(...moments),
        mean: Math.round(moments.reduce((sum, each) => sum + each, 0) / moments.length),
      },
      seconds: Math.round((performance.now() - startedMs) / 1_000),
      ...found,
      wrong: wrong.slice(0, 10),
    };
  } finally {
    await stage?.strike();
    folder?.remove();
  }
}

/** Whether nothing was lost, and there was something to lose. */
export function isGood({ losses, counts }: Result): boolean {
  return counts["events seen"] > 0 && Object.values(losses).every((count) => count === 0);
}

/** Until `least` answers are in progress and advance. Interrupted ones wait for a lease to expire. */
async function untilBusy(crowd: Crowd, least: number): Promise<void> {
  const { story } = crowd;
  const seenBefore = story.eventsSeen;
  const isBusy = (): boolean => crowd.underWay() >= least && story.eventsSeen - seenBefore >= least;
  for (let waitedMs = 0; !isBusy() && waitedMs < busyMaxMs; waitedMs += 10) await sleep(10);
}

/** What the servers say of it all once nothing is disturbed any more. */
async function lookBack(crowd: Crowd, drill: Drill, { losses }: Findings, chance: Chance): Promise<string[]> {
  const wrong: string[] = [];
  const asks = crowd.story.asks.filter(({ acknowledged }) => acknowledged);
  for (const ask of some(asks, laterReaders, chance)) {
    const again = await crowd.readAgain(ask);
    const isSame = ask.readers.every((seen) => seen.every((body, index) => body === again[index]));
    if (isSame && again.length > 0) continue;
    losses["later readers told otherwise"] += 1;
    wrong.push(`A later reader of ${ask.runId} was told otherwise.`);
  }
  const broken = asks.filter(({ end }) => end !== "completed");
  const allowed = drill.mayBreak.split(" or ");
  for (const { runId, end, isStopped } of broken) {
    if (end !== undefined && allowed.includes(end)) continue;
    if (end === "cancelled" && isStopped) continue;
    crowd.story.mistakes.push(`${runId} ended as ${end ?? "nothing"}, which nothing here is a reason for`);
  }
  const continued = new Set(asks.filter(({ words }) => words === "").map(({ replyId }) => replyId));
  const left = broken.filter(({ replyId, end }) => end !== undefined && !continued.has(replyId));
  for (const ask of some(left, continuedAtEnd, chance)) {
    const next = await crowd.continueAnswer(ask).catch(() => undefined);
    if (next?.end === "completed") continue;
    losses["broken answers that cannot be continued"] += 1;
    wrong.push(`${ask.runId} was gone on with, and ended as ${next?.end ?? "refused"}.`);
  }
  return wrong;
}

function some(asks: Ask[], count: number, chance: Chance): Ask[] {
  const left = [...asks];
  const chosen: Ask[] = [];
  while (chosen.length < count && left.length > 0)
    chosen.push(...left.splice(chance.between(0, left.length - 1), 1));
  return chosen;
}
