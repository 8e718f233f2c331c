import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { startRun, waitForEnd } from "../support/parlance.ts";
import type { Bench } from "../support/report.ts";
import { withServices, type Services } from "../support/services.ts";

const readerCount = 200;
/** 16 blocks of 64 KiB each: answers of 1 MiB. */
const runCount = 10;
const question = "tokens=16 gap=300\nhuge";
/** Half a megabyte per reader: a page of events, its text and its parts. The kernel's buffers are not counted. */
const maxMiB = 100;
const sampleMs = 200;

/** The server's memory for readers who do not read an answer while it is written. */
export const slowReaders: Bench = {
  about: `memory while ${runCount} answers of 1 MiB are written for ${readerCount} readers who never read`,
  async run() {
    // Each with a new server, because a process does not return memory to the system.
    const alone = await memoryGrowth(0);
    const withReaders = await memoryGrowth(readerCount);
    return [
      {
        what: `most that the server grew by, with ${readerCount} readers who never read`,
        unit: "MiB",
        ours: withReaders,
        baseline: alone,
        against: "the same answers without readers",
        aim: `at most ${maxMiB} MiB more; everything in memory would be ${readerCount * runCount}`,
        met: withReaders - alone <= maxMiB,
      },
    ];
  },
};

async function memoryGrowth(readers: number): Promise<number> {
  return await withServices(async (services) => {
    const { person, server } = services;
    // The first answer is slower and not measured.
    await waitForEnd(person, (await startRun(person, "tokens=4\nhuge")).runId);
    const before = server.residentMiB();
    const runIds: string[] = [];
    for (let n = 0; n < runCount; n++) runIds.push((await startRun(person, question)).runId);
    const sockets = Array.from({ length: readers }, () => openUnreadFeed(services, runIds));
    let highest = before;
    const sampling = setInterval(() => (highest = Math.max(highest, server.residentMiB())), sampleMs);
    for (const runId of runIds) await waitForEnd(person, runId);
    await sleep(5_000);
    clearInterval(sampling);
    for (const socket of sockets) socket.destroy();
    return highest - before;
  });
}

/** A connection that requests the feed with all runs and reads nothing. */
function openUnreadFeed({ server, person }: Services, runIds: string[]): Socket {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname).pause();
  const headers = Object.entries({ host: hostname, ...person.headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const runs = runIds.map((id) => `${id}:0`).join(",");
  socket.on("error", () => {}).write(`GET /v1/live?after=0&runs=${runs} HTTP/1.1\r\n${headers.join("")}\r\n`);
  return socket;
}
