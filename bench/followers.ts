import { setTimeout as sleep } from "node:timers/promises";
import { newId } from "#contract/ids.ts";
import { call } from "./support/parlance.ts";
import type { Bench, Figure } from "./support/report.ts";
import { withServices, type Services } from "./support/services.ts";
import { openStream } from "./support/stream.ts";

const followerCount = 1_000;
const aimedMiB = 150;
const slowCount = 200;
const aimedSlowMiB = 100;
/** Long enough for the first heartbeat, and for what the start of a stream left behind to be cleared away. */
const settleMs = 20_000;

/** What readers cost who only wait, and what those cost who ask for a long answer and then do not read. */
export const followers: Bench = {
  about: `memory of ${followerCount} idle followers, and of ${slowCount} readers who do not read`,
  async run() {
    const ofRun = await withServices(async (services) => {
      const before = await settled(services);
      const runId = await begin(services, "first=600000 tokens=1");
      return (await withFollowers(services, followerCount, `/v1/runs/${runId}/events`)) - before;
    });
    const ofFeed = await withServices(async (services) => {
      const before = await settled(services);
      return (await withFollowers(services, followerCount, "/v1/live?after=0")) - before;
    });
    const slow = await withServices(async (services) => {
      const before = await settled(services);
      // 60 blocks of 64 KiB: nearly all that an answer may hold. What making it cost is counted too.
      const runId = await begin(services, "tokens=60\nhuge");
      await ended(services, runId);
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
      figure(`${followerCount} idle followers of a run`, ofRun, aimedMiB),
      figure(`${followerCount} idle followers of the feed`, ofFeed, aimedMiB),
      {
        ...figure(`${slowCount} readers who do not read an answer of 3.75 MiB`, slow, aimedSlowMiB),
        baseline: slowCount * 3.75,
        against: "all of it in memory",
      },
    ];
  },
};

async function begin({ person }: Services, text: string): Promise<string> {
  const message = { parent_id: null, content: { role: "user", content: [{ type: "text", text }] } };
  const path = `/v1/threads/${newId("thread")}/runs`;
  return (await call<{ run_id: string }>(person, "POST", path, { message })).run_id;
}

async function ended({ person }: Services, runId: string): Promise<void> {
  for (;;) {
    const { run } = await call<{ run: { state: string } }>(person, "GET", `/v1/runs/${runId}`);
    if (run.state !== "queued" && run.state !== "running") return;
    await sleep(200);
  }
}

async function settled({ server }: Services): Promise<number> {
  await sleep(settleMs / 4);
  return server.residentMiB();
}

/** What the server holds while `count` readers follow `path`, in MiB. */
async function withFollowers(
  { server, person }: Services,
  count: number,
  path: string,
  how: "read" | "unread" = "read",
): Promise<number> {
  const open = [];
  for (let n = 0; n < count; n++) {
    const answer = await openStream(`${server.url}${path}`, { headers: person.headers }, true);
    // Gone with the server, whenever that ends.
    answer.on("error", () => {});
    if (how === "read") answer.resume();
    open.push(answer);
  }
  await sleep(settleMs);
  const held = server.residentMiB();
  for (const answer of open) answer.destroy();
  return held;
}
