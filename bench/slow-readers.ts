import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { newId } from "#contract/ids.ts";
import { call } from "./support/parlance.ts";
import type { Bench } from "./support/report.ts";
import { withServices, type Services } from "./support/services.ts";

const readerCount = 200;
/** 16 blocks of 64 KiB each: answers of 1 MiB. */
const runCount = 10;
const question = "tokens=16 gap=300\nhuge";
/** Half a megabyte for each reader, the kernel's share of a connection not counted, is a page, its text and its parts. */
const aimedMiB = 100;
const sampleMs = 200;

/** What a server holds for those who are sent what they do not take, while it is being written. */
export const slowReaders: Bench = {
  about: `memory while ${runCount} answers of 1 MiB are written for ${readerCount} readers who never read`,
  async run() {
    // One after the other, each in a server of its own: memory that was once taken is not given back.
    const alone = await grownBy(0);
    const beside = await grownBy(readerCount);
    return [
      {
        what: `most that the server grew by, with ${readerCount} readers who never read`,
        unit: "MiB",
        ours: beside,
        baseline: alone,
        against: "the same answers with nobody there",
        aim: `at most ${aimedMiB} MiB more; all of it in memory were ${readerCount * runCount}`,
        met: beside - alone <= aimedMiB,
      },
    ];
  },
};

async function grownBy(readers: number): Promise<number> {
  return await withServices(async (services) => {
    // The first answer is slower, and is not measured.
    await ended(services, [await begin(services, "tokens=4\nhuge")]);
    const before = services.server.residentMiB();
    const runIds: string[] = [];
    for (let n = 0; n < runCount; n++) runIds.push(await begin(services, question));
    const sockets = Array.from({ length: readers }, () => unread(services, runIds));
    let most = before;
    const sampling = setInterval(() => (most = Math.max(most, services.server.residentMiB())), sampleMs);
    await ended(services, runIds);
    await sleep(5_000);
    clearInterval(sampling);
    for (const socket of sockets) socket.destroy();
    return most - before;
  });
}

/** A connection that requests the feed with all runs and reads nothing. */
function unread({ server, person }: Services, runIds: string[]): Socket {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname).pause();
  const headers = Object.entries({ host: hostname, ...person.headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const runs = runIds.map((id) => `${id}:0`).join(",");
  socket.on("error", () => {}).write(`GET /v1/live?after=0&runs=${runs} HTTP/1.1\r\n${headers.join("")}\r\n`);
  return socket;
}

async function begin({ person }: Services, text: string): Promise<string> {
  const message = { parent_id: null, content: { role: "user", content: [{ type: "text", text }] } };
  const path = `/v1/threads/${newId("thread")}/runs`;
  return (await call<{ run_id: string }>(person, "POST", path, { message })).run_id;
}

async function ended({ person }: Services, runIds: string[]): Promise<void> {
  for (const runId of runIds)
    for (;;) {
      const { run } = await call<{ run: { state: string } }>(person, "GET", `/v1/runs/${runId}`);
      if (run.state !== "queued" && run.state !== "running") break;
      await sleep(200);
    }
}
