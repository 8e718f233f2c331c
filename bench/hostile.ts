import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { newId } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import type { Attack } from "./support/attack.ts";
import { signUp, startParlance } from "./support/parlance.ts";
import { startProcess } from "./support/process.ts";
import { median, type Bench, type Figure } from "./support/report.ts";

const MiB = 1024 * 1024;
/** In addition to an idle server on this machine at the same time. */
const aimedMs = 100;
/** Three times the memory for the bodies of one address, because refused bodies stay until the next garbage collection. */
const aimedMiB = 192;
/** How long an attack is watched at most. */
const windowMs = 10_000;
/** The machine is not the same from second to second: each figure is the median of so many attacks. */
const rounds = 3;
const probeEveryMs = 20;
/** A server that does not answer for this long counts as stopped. */
const probePatienceMs = 60_000;
const warmUpMs = 1_000;

type Suffered = { worstMs: number; idleMs: number; grownMiB: number };
type Case = Pick<Attack, "body" | "connections" | "unfinished"> & { about: string };

const attacks: Case[] = [
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

/** Whether the server still answers others while one client sends it bodies that are made to stop it. */
export const hostile: Bench = {
  about: "the worst answer of /healthz and the most memory while one client sends hostile bodies",
  async run() {
    const figures: Figure[] = [];
    for (const attack of attacks)
      for (const sender of ["a stranger", "a visitor"] as const) {
        const suffered: Suffered[] = [];
        for (let round = 0; round < rounds; round++) suffered.push(await suffer(attack, sender));
        figures.push(...figuresOf(`${attack.about}, from ${sender}`, suffered));
      }
    return figures;
  },
};

function figuresOf(what: string, suffered: Suffered[]): Figure[] {
  const worstMs = median(suffered.map((each) => each.worstMs));
  const idleMs = median(suffered.map((each) => each.idleMs));
  const grownMiB = median(suffered.map((each) => each.grownMiB));
  return [
    {
      what: `${what}: worst answer of /healthz`,
      unit: "ms",
      ours: worstMs,
      baseline: idleMs,
      against: "the worst of an idle server beside it",
      aim: `at most ${aimedMs} ms more`,
      met: worstMs - idleMs <= aimedMs,
    },
    {
      what: `${what}: most that the server grew by`,
      unit: "MiB",
      ours: grownMiB,
      aim: `at most ${aimedMiB} MiB`,
      met: grownMiB <= aimedMiB,
    },
  ];
}

/** One attack on a server of its own, since memory that was once taken is not given back. */
async function suffer(attack: Case, sender: "a stranger" | "a visitor"): Promise<Suffered> {
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
    let most = before;
    const sampling = setInterval(() => (most = Math.max(most, server.residentMiB())), 50);
    const attacker = new Worker(new URL("support/attack.ts", import.meta.url), {
      workerData: { ...attack, ...target, url: server.url } satisfies Attack & { about: string },
    });
    const over = new Promise((resolve) => attacker.once("message", resolve));
    const end = Promise.race([over, sleep(windowMs)]);
    const [worstMs, idleMs] = await Promise.all([worstProbe(server.url, end), worstProbe(bare.url, end)]);
    clearInterval(sampling);
    await attacker.terminate();
    return { worstMs, idleMs, grownMiB: most - before };
  } finally {
    await server.stop();
    await bare.stop();
  }
}

/** Asks for `/healthz` until `over` resolves. Returns the longest that an answer took, in milliseconds. */
async function worstProbe(url: string, over: Promise<unknown>): Promise<number> {
  let going = true;
  void over.then(() => (going = false));
  let worst = 0;
  while (going) {
    const startedAt = performance.now();
    const signal = AbortSignal.timeout(probePatienceMs);
    await fetch(`${url}/healthz`, { signal })
      .then((answer) => answer.text())
      .catch(() => {});
    worst = Math.max(worst, performance.now() - startedAt);
    await sleep(probeEveryMs);
  }
  return worst;
}
