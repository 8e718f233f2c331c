import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { newId } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import type { Attack } from "../support/attack.ts";
import { signUp, startParlance } from "../support/parlance.ts";
import { startProcess } from "../support/process.ts";
import { median, type Bench, type Figure } from "../support/report.ts";

const MiB = 1024 * 1024;
/** More than an idle server on the same machine at the same time. */
const maxAddedMs = 100;
/** Three times the memory for the bodies of one address, because refused bodies stay until the next garbage collection. */
const maxMiB = 192;
/** The longest measurement of an attack. */
const windowMs = 10_000;
/** Each figure is the median of several attacks, because the speed of the machine changes. */
const rounds = 3;
const probeEveryMs = 20;
/** A server that does not answer for this long counts as stopped. */
const probeTimeoutMs = 60_000;
const warmUpMs = 1_000;

type Effect = { worstMs: number; idleMs: number; growthMiB: number };
type AttackCase = Pick<Attack, "body" | "connections" | "unfinished"> & { about: string };

const attacks: AttackCase[] = [
  {
    about: "12 bodies of 14.5 MB with a million keys",
    body: { kind: "keys", sizeBytes: 14_500_000 },
    connections: 12,
    unfinished: false,
  },
  {
    about: "12 bodies of 14.5 MB with millions of empty objects",
    body: { kind: "objects", sizeBytes: 14_500_000 },
    connections: 12,
    unfinished: false,
  },
  {
    about: "12 bodies with as many keys as a body may have",
    body: { kind: "keys", sizeBytes: (limits.jsonValues - 1) * '"k0000000":1,'.length },
    connections: 12,
    unfinished: false,
  },
  {
    about: "80 bodies of 15 MiB that never end",
    body: { kind: "text", sizeBytes: 15 * MiB },
    connections: 80,
    unfinished: true,
  },
];

/** Whether the server still answers others while one client sends hostile bodies. */
export const hostile: Bench = {
  about: "the worst answer of /healthz and the most memory while one client sends hostile bodies",
  async run() {
    const figures: Figure[] = [];
    for (const attack of attacks)
      for (const sender of ["a stranger", "a visitor"] as const) {
        const effects: Effect[] = [];
        for (let round = 0; round < rounds; round++) effects.push(await attackOnce(attack, sender));
        figures.push(...figuresOf(`${attack.about}, from ${sender}`, effects));
      }
    return figures;
  },
};

function figuresOf(what: string, effects: Effect[]): Figure[] {
  const worstMs = median(effects.map((each) => each.worstMs));
  const idleMs = median(effects.map((each) => each.idleMs));
  const growthMiB = median(effects.map((each) => each.growthMiB));
  return [
    {
      what: `${what}: worst answer of /healthz`,
      unit: "ms",
      ours: worstMs,
      baseline: idleMs,
      against: "the worst of an idle server beside it",
      aim: `at most ${maxAddedMs} ms more`,
      met: worstMs - idleMs <= maxAddedMs,
    },
    {
      what: `${what}: most that the server grew by`,
      unit: "MiB",
      ours: growthMiB,
      aim: `at most ${maxMiB} MiB`,
      met: growthMiB <= maxMiB,
    },
  ];
}

/** Attacks a new server, because a process does not return memory to the system. */
async function attackOnce(attack: AttackCase, sender: "a stranger" | "a visitor"): Promise<Effect> {
  const server = await startParlance({});
  const bare = await startProcess(["bench/support/bare-server.ts"]);
  try {
    const { headers } = await signUp(server.url);
    const target =
      sender === "a stranger"
        ? { path: "/v1/auth/tokens/refresh", headers: {} }
        : { path: `/v1/threads/${newId("thread")}/messages`, headers };
    await worstProbe(server.url, sleep(warmUpMs));
    const before = server.residentMiB();
    let highest = before;
    const sampling = setInterval(() => (highest = Math.max(highest, server.residentMiB())), 50);
    const attacker = new Worker(new URL("../support/attack.ts", import.meta.url), {
      workerData: { ...attack, ...target, url: server.url } satisfies Attack & { about: string },
    });
    const over = new Promise((resolve) => attacker.once("message", resolve));
    const end = Promise.race([over, sleep(windowMs)]);
    const [worstMs, idleMs] = await Promise.all([worstProbe(server.url, end), worstProbe(bare.url, end)]);
    clearInterval(sampling);
    await attacker.terminate();
    return { worstMs, idleMs, growthMiB: highest - before };
  } finally {
    await server.stop();
    await bare.stop();
  }
}

/** Requests `/healthz` repeatedly until `over` resolves. Returns the longest response time in milliseconds. */
export async function worstProbe(url: string, over: Promise<unknown>): Promise<number> {
  let isRunning = true;
  void over.then(() => (isRunning = false));
  let worst = 0;
  while (isRunning) {
    const startedAt = performance.now();
    const signal = AbortSignal.timeout(probeTimeoutMs);
    await fetch(`${url}/healthz`, { signal })
      .then((answer) => answer.text())
      .catch(() => {});
    worst = Math.max(worst, performance.now() - startedAt);
    await sleep(probeEveryMs);
  }
  return worst;
}
