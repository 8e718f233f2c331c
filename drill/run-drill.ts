import { setTimeout as sleep } from "node:timers/promises";
import { compareWithDatabase, emptyFindings, type Findings } from "./findings.ts";
import { serversOn, type Drill } from "./drills.ts";
import type { RunRequest } from "./run-client.ts";
import { startLeaseClients } from "./lease-clients.ts";
import { startUsers, type Users } from "./users.ts";
import { startEnvironment, type EngineName, type Environment } from "./environment.ts";
import { createRandom, type Random } from "#fixtures/random.ts";

export type Result = {
  drill: string;
  engine: EngineName;
  rounds: number;
  /** Answers in progress when a fault is injected: the minimum and the mean over the rounds. */
  inProgress: { min: number; mean: number };
  /**
   * From the beginning of a fault until the last of the answers in progress had ended or had its first event after it: the
   * median and the maximum over the rounds.
   */
  frozenSeconds: { median: number; max: number };
  seconds: number;
  /** Descriptions of the first ten. */
  problems: string[];
} & Findings;

export type RunOptions = {
  rounds: number;
  /** How many users are active at once. */
  people: number;
  seed: number;
  log?: (line: string) => void;
};

/** Enough for a lease to expire and a reaper to end its run, on a slow machine. */
const finishMaxMs = 120_000;
const busyMaxMs = 60_000;
/** How many runs are read again at the end, and how many interrupted answers are continued. */
const laterReadsMax = 200;
const continuedMax = 50;

/** Injects `rounds` faults while users ask and read, and compares what they received with the database. */
export async function runDrill(
  name: string,
  drill: Drill,
  engine: EngineName,
  { rounds, people, seed, log = () => {} }: RunOptions,
): Promise<Result> {
  const startedMs = performance.now();
  const random = createRandom(seed);
  const findings = emptyFindings();
  const folder = drill.dataFolder?.();
  let environment: Environment | undefined;
  try {
    environment = await startEnvironment({
      engine,
      servers: serversOn(drill, engine),
      ...(folder === undefined ? {} : { dataDir: folder.path }),
      ...(drill.hasMovableClock === undefined ? {} : { hasMovableClock: true }),
    });
    const users = startUsers(environment.url, people, random.fork());
    const leased = startLeaseClients(environment.url, Math.ceil(people / 5), random.fork());
    const pendingCounts: number[] = [];
    const frozenMs: number[] = [];
    for (let round = 1; round <= rounds; round++) {
      await waitUntilBusy(users, people / 2);
      await sleep(random.between(50, 1_200));
      pendingCounts.push(users.pendingCount());
      const frozen = users.observed.requests.filter(isInProgress);
      const injectedMs = performance.now();
      await drill.injectFault(environment, random, users.observed);
      await waitUntilAllGoOn(environment.url, frozen);
      frozenMs.push(performance.now() - injectedMs);
      if (round % 10 === 0)
        log(`  ${round} of ${rounds} rounds, ${users.observed.requests.length} runs requested`);
    }
    await Promise.all([users.finish(finishMaxMs), leased.finish(finishMaxMs)]);
    const problems = await checkThroughApi(users, drill, findings, random);
    for (const server of environment.servers) {
      findings.losses["servers that crashed"] += server.crashes;
      if (server.crashes > 0) problems.push(server.stderr().slice(-2_000));
      await server.end("SIGTERM");
    }
    await compareWithDatabase(users.observed, leased, environment.databaseOptions, findings);
    problems.push(...users.observed.violations, ...leased.violations);
    return {
      drill: name,
      engine,
      rounds,
      inProgress: {
        min: Math.min(...pendingCounts),
        mean: Math.round(pendingCounts.reduce((sum, each) => sum + each, 0) / pendingCounts.length),
      },
      frozenSeconds: { median: secondsAt(frozenMs, 0.5), max: secondsAt(frozenMs, 1) },
      seconds: Math.round((performance.now() - startedMs) / 1_000),
      ...findings,
      problems: problems.slice(0, 10),
    };
  } finally {
    await environment?.close();
    folder?.remove();
  }
}

/** Whether nothing was lost, although readers saw events. */
export function isGood({ losses, counts }: Result): boolean {
  return counts["events seen"] > 0 && Object.values(losses).every((count) => count === 0);
}

/** Waits until `count` answers are in progress and new events arrive: an interrupted answer produces none until its lease expires. */
async function waitUntilBusy(users: Users, count: number): Promise<void> {
  const { observed } = users;
  const seenBefore = observed.eventsSeen;
  const isBusy = (): boolean => users.pendingCount() >= count && observed.eventsSeen - seenBefore >= count;
  for (let waitedMs = 0; !isBusy() && waitedMs < busyMaxMs; waitedMs += 10) await sleep(10);
}

const isInProgress = ({ acknowledged, end }: RunRequest): boolean => acknowledged && end === undefined;

/** Waits until each of these answers has ended or has more events than at first. */
async function waitUntilAllGoOn(url: string, requests: RunRequest[]): Promise<void> {
  const deadlineMs = performance.now() + finishMaxMs;
  const lastNumbers = new Map<RunRequest, number>();
  const waiting = new Set(requests);
  while (waiting.size > 0 && performance.now() < deadlineMs) {
    for (const request of waiting) {
      const run = await readRun(url, request);
      if (run === undefined) continue;
      if (!lastNumbers.has(request)) lastNumbers.set(request, run.last_seq);
      if (run.ended_at !== null || run.last_seq > lastNumbers.get(request)!) waiting.delete(request);
    }
    if (waiting.size > 0) await sleep(20);
  }
}

async function readRun(
  url: string,
  { runId, headers }: RunRequest,
): Promise<{ ended_at: string | null; last_seq: number } | undefined> {
  const response = await fetch(`${url}/v1/runs/${runId}`, { headers }).catch(() => undefined);
  if (response?.ok !== true) return undefined;
  return ((await response.json()) as { run: { ended_at: string | null; last_seq: number } }).run;
}

/** The value below which this share of the values is, in seconds with one decimal. */
function secondsAt(valuesMs: number[], share: number): number {
  const sorted = valuesMs.toSorted((a, b) => a - b);
  return Math.round(sorted[Math.ceil(share * sorted.length) - 1]! / 100) / 10;
}

/** Reads runs again and continues unfinished ones, after the last fault. */
async function checkThroughApi(
  users: Users,
  drill: Drill,
  { losses }: Findings,
  random: Random,
): Promise<string[]> {
  const problems: string[] = [];
  const requests = users.observed.requests.filter(({ acknowledged }) => acknowledged);
  for (const request of sample(requests, laterReadsMax, random)) {
    const again = await users.readAgain(request);
    const isSame = request.readers.every((seen) => seen.every((body, index) => body === again[index]));
    if (isSame && again.length > 0) continue;
    losses["later reads that differ"] += 1;
    problems.push(`A later read of ${request.runId} differs.`);
  }
  const unfinished = requests.filter(({ end }) => end !== "completed");
  for (const { runId, end, isStopped } of unfinished) {
    if (end !== undefined && drill.allowedEnds.includes(end)) continue;
    if (end === "cancelled" && isStopped) continue;
    users.observed.violations.push(`${runId} ended as ${end ?? "nothing"}, which this drill does not allow`);
  }
  const continued = new Set(requests.filter(({ text }) => text === "").map(({ replyId }) => replyId));
  const rest = unfinished.filter(({ replyId, end }) => end !== undefined && !continued.has(replyId));
  for (const request of sample(rest, continuedMax, random)) {
    const next = await users.continueAnswer(request).catch(() => undefined);
    if (next?.end === "completed") continue;
    losses["interrupted answers that cannot be continued"] += 1;
    problems.push(`${request.runId} was continued and ended as ${next?.end ?? "refused"}.`);
  }
  return problems;
}

function sample(requests: RunRequest[], count: number, random: Random): RunRequest[] {
  const rest = [...requests];
  const chosen: RunRequest[] = [];
  while (chosen.length < count && rest.length > 0)
    chosen.push(...rest.splice(random.between(0, rest.length - 1), 1));
  return chosen;
}
