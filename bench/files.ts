import { randomBytes } from "node:crypto";
import { signUp, startParlance, type Person } from "./support/parlance.ts";
import { startProcess, type Measured } from "./support/process.ts";
import { median, type Bench, type Figure } from "./support/report.ts";
import { putBytes, sendFile } from "./support/send-file.ts";

const MiB = 1024 * 1024;
const pieceBytes = 25 * MiB;
/** 40 of them are a gigabyte. */
const pieces = 40;
/** What goes up and down before anything is counted. */
const warmUpPieces = 2;
const aimedRatio = 0.8;
const aimedMiB = 30;

/** Files in and out. */
export const files: Bench = {
  about: "a gigabyte of files in pieces of 25 MiB beside a bare file server",
  run: throughput,
};

type Way = { up(bytes: Uint8Array): Promise<string>; down(url: string): Promise<number> };

async function throughput(): Promise<Figure[]> {
  const bare = await startProcess(["bench/support/file-server.ts"]);
  const server = await startParlance({ FILES_PER_PERSON_MIB: "0" });
  try {
    const person = await signUp(server.url);
    // In turns, so that a minute that was slow was slow for both.
    const ways: [Way, Measured][] = [
      [parlanceWay(person), server],
      [bareWay(bare.url), bare],
    ];
    const up: number[][] = [[], []];
    const down: number[][] = [[], []];
    const grown: number[] = [];
    let before = 0;
    for (let piece = 0; piece < warmUpPieces + pieces; piece++) {
      const bytes = randomBytes(pieceBytes);
      if (piece === warmUpPieces) before = server.residentMiB();
      for (const [index, [way]] of ways.entries()) {
        const begun = performance.now();
        const url = await way.up(bytes);
        const sent = performance.now();
        if ((await way.down(url)) !== pieceBytes) throw new Error(`${url} came back short.`);
        if (piece < warmUpPieces) continue;
        up[index]!.push(speed(sent - begun));
        down[index]!.push(speed(performance.now() - sent));
        if (index === 0) grown.push(server.residentMiB() - before);
      }
    }
    return [
      compared("upload", up),
      compared("download", down),
      {
        what: "memory, at most beyond what it had before the gigabyte",
        unit: "MiB",
        ours: Math.max(...grown),
        aim: `at most ${aimedMiB}`,
        met: Math.max(...grown) <= aimedMiB,
      },
    ];
  } finally {
    await server.stop();
    await bare.stop();
  }
}

function speed(ms: number): number {
  return pieceBytes / MiB / (ms / 1000);
}

function compared(what: string, [ours = [], theirs = []]: number[][]): Figure {
  const ratio = median(ours) / median(theirs);
  return {
    what: `${what} of 25 MiB, median of ${pieces}`,
    unit: "MiB/s",
    ours: median(ours),
    baseline: median(theirs),
    against: "a bare file server, which waits for no disk",
    aim: `at least ${aimedRatio} of it`,
    met: ratio >= aimedRatio,
  };
}

function parlanceWay(person: Person): Way {
  return { up: async (bytes) => await sendFile(person, bytes), down: readBytes };
}

function bareWay(base: string): Way {
  let count = 0;
  return {
    async up(bytes) {
      const url = `${base}/piece-${++count}`;
      await putBytes(url, bytes);
      return url;
    },
    down: readBytes,
  };
}

async function readBytes(url: string): Promise<number> {
  let size = 0;
  const { body } = await fetch(url);
  for await (const chunk of body!) size += chunk.length;
  return size;
}
