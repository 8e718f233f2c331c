import { randomBytes } from "node:crypto";
import { signUp, startParlance, type User } from "../support/parlance.ts";
import { startProcess, type Measured } from "../support/process.ts";
import { median, type Bench, type Figure } from "../support/report.ts";
import { putBytes, sendFile } from "../support/send-file.ts";

const MiB = 1024 * 1024;
const fileBytes = 25 * MiB;
/** A gigabyte in total. */
const fileCount = 40;
/** Files that are transferred before the measurement. */
const warmUpCount = 2;
const minRatio = 0.8;
const maxMiB = 30;

export const files: Bench = {
  about: "a gigabyte of files in pieces of 25 MiB beside a bare file server",
  run: throughput,
};

type FileStore = { upload(bytes: Uint8Array): Promise<string>; download(url: string): Promise<number> };

async function throughput(): Promise<Figure[]> {
  const bare = await startProcess(["bench/support/file-server.ts"]);
  const server = await startParlance({ FILES_PER_PERSON_MIB: "0" });
  try {
    const person = await signUp(server.url);
    // Alternate, so that a slow minute is slow for both.
    const stores: [FileStore, Measured][] = [
      [parlanceStore(person), server],
      [bareStore(bare.url), bare],
    ];
    const up: number[][] = [[], []];
    const down: number[][] = [[], []];
    const growthMiB: number[] = [];
    let before = 0;
    for (let n = 0; n < warmUpCount + fileCount; n++) {
      const bytes = randomBytes(fileBytes);
      if (n === warmUpCount) before = server.residentMiB();
      for (const [index, [store]] of stores.entries()) {
        const startedMs = performance.now();
        const url = await store.upload(bytes);
        const uploadedMs = performance.now();
        if ((await store.download(url)) !== fileBytes) throw new Error(`${url} has the wrong size.`);
        if (n < warmUpCount) continue;
        up[index]!.push(speed(uploadedMs - startedMs));
        down[index]!.push(speed(performance.now() - uploadedMs));
        if (index === 0) growthMiB.push(server.residentMiB() - before);
      }
    }
    return [
      compared("upload", up),
      compared("download", down),
      {
        what: "memory, at most beyond what it had before the gigabyte",
        unit: "MiB",
        ours: Math.max(...growthMiB),
        aim: `at most ${maxMiB}`,
        met: Math.max(...growthMiB) <= maxMiB,
      },
    ];
  } finally {
    await server.stop();
    await bare.stop();
  }
}

function speed(ms: number): number {
  return fileBytes / MiB / (ms / 1000);
}

function compared(what: string, [ours = [], theirs = []]: number[][]): Figure {
  const ratio = median(ours) / median(theirs);
  return {
    what: `${what} of 25 MiB, median of ${fileCount}`,
    unit: "MiB/s",
    ours: median(ours),
    baseline: median(theirs),
    against: "a bare file server, which waits for no disk",
    aim: `at least ${minRatio} of it`,
    met: ratio >= minRatio,
  };
}

function parlanceStore(person: User): FileStore {
  return { upload: async (bytes) => await sendFile(person, bytes), download: readBytes };
}

function bareStore(base: string): FileStore {
  let count = 0;
  return {
    async upload(bytes) {
      const url = `${base}/file-${++count}`;
      await putBytes(url, bytes);
      return url;
    },
    download: readBytes,
  };
}

async function readBytes(url: string): Promise<number> {
  let size = 0;
  const { body } = await fetch(url);
  for await (const chunk of body!) size += chunk.length;
  return size;
}
