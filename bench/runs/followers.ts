import { setTimeout as sleep } from "node:timers/promises";
import { startRun, waitForEnd } from "../support/parlance.ts";
import type { Bench, Figure } from "../support/report.ts";
import { withServices, type Services } from "../support/services.ts";
import { openStream } from "../support/stream.ts";

const followerCount = 1_000;
const maxMiB = 150;
const slowCount = 200;
const maxSlowMiB = 100;
/** Long enough for the first heartbeat, and for the garbage of opening a stream to be collected. */
const settleMs = 20_000;

/** The memory for idle readers, and for readers who request a long answer and do not read it. */
export const followers: Bench = {
  about: `memory of ${followerCount} idle followers, and of ${slowCount} readers who do not read`,
  async run() {
    const ofRun = await withServices(async (services) => {
      const before = await settled(services);
      const { runId } = await startRun(services.person, "first=600000 tokens=1");
      return (await withFollowers(services, followerCount, `/v1/runs/${runId}/events`)) - before;
    });
    const ofFeed = await withServices(async (services) => {
      const before = await settled(services);
      return (await withFollowers(services, followerCount, "/v1/live?after=0")) - before;
    });
    const slow = await withServices(async (services) => {
      const before = await settled(services);
      // 60 blocks of 64 KiB, close to the maximum size of an answer. Includes the memory for writing it.
      const { runId } = await startRun(services.person, "tokens=60\nhuge");
      await waitForEnd(services.person, runId);
      return (await withFollowers(services, slowCount, `/v1/runs/${runId}/events`, "unread")) - before;
    });
    const figure = (what: string, ours: number, aim: number): Figure => ({
      what,
      unit: "MiB",
      ours,
      aim: `at most ${aim} MiB`,
      met: ours <= aim,
    });
    return [
      figure(`${followerCount} idle followers of a run`, ofRun, maxMiB),
      figure(`${followerCount} idle followers of the feed`, ofFeed, maxMiB),
      {
        ...figure(`${slowCount} readers who do not read an answer of 3.75 MiB`, slow, maxSlowMiB),
        baseline: slowCount * 3.75,
        against: "all of it in memory",
      },
    ];
  },
};

async function settled({ server }: Services): Promise<number> {
  await sleep(settleMs / 4);
  return server.residentMiB();
}

/** The server's memory while `count` readers follow `path`, in MiB. */
async function withFollowers(
  { server, person }: Services,
  count: number,
  path: string,
  mode: "read" | "unread" = "read",
): Promise<number> {
  const open = [];
  for (let n = 0; n < count; n++) {
    const answer = await openStream(`${server.url}${path}`, { headers: person.headers }, true);
    // The server ends these connections when it stops.
    answer.on("error", () => {});
    if (mode === "read") answer.resume();
    open.push(answer);
  }
  await sleep(settleMs);
  const residentMiB = server.residentMiB();
  for (const answer of open) answer.destroy();
  return residentMiB;
}
