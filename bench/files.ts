import { randomBytes } from "node:crypto";
import { newId } from "#contract/ids.ts";
import {
  ask,
  call,
  signUp,
  startModel,
  startParlance,
  type Parlance,
  type Person,
} from "./support/parlance.ts";
import { startProcess, type Measured } from "./support/process.ts";
import { median, percentile, type Bench, type Figure } from "./support/report.ts";

const MiB = 1024 * 1024;
const pieceBytes = 25 * MiB;
/** 40 of them are a gigabyte. */
const pieces = 40;
/** What goes up and down before anything is counted. */
const warmUpPieces = 2;
const aimedRatio = 0.8;
const aimedMiB = 30;

const streams = 100;
const uploads = 50;
const uploadBytes = 2 * MiB;
const aimedDelay = 1.2;

/** Files in and out, and what they cost those who read answers meanwhile. */
export const files: Bench = {
  about: "a gigabyte of files in pieces of 25 MiB beside a bare file server, and uploads beside streams",
  run: async () => [...(await throughput()), ...(await besideStreams())],
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
  return {
    async up(bytes) {
      const body = { filename: "piece.bin" };
      const path = "/v1/files/attachments/generate-presigned-upload-url";
      const { signedUrl, publicUrl } = await call<{ signedUrl: string; publicUrl: string }>(
        person,
        "POST",
        path,
        body,
      );
      await putBytes(signedUrl, bytes);
      return publicUrl;
    },
    down: readBytes,
  };
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

async function putBytes(url: string, bytes: Uint8Array): Promise<void> {
  const answer = await fetch(url, { method: "PUT", body: bytes as Uint8Array<ArrayBuffer> });
  if (!answer.ok) throw new Error(`PUT ${url}: ${answer.status} ${await answer.text()}`);
  await answer.arrayBuffer();
}

async function readBytes(url: string): Promise<number> {
  let size = 0;
  const { body } = await fetch(url);
  for await (const chunk of body!) size += chunk.length;
  return size;
}

async function besideStreams(): Promise<Figure[]> {
  const model = await startModel();
  const server = await startParlance({
    OPENAI_BASE_URL: `${model.url}/v1`,
    OPENAI_MODEL: "fixture-1",
    FILES_PER_PERSON_MIB: "0",
  });
  try {
    const alone = await delays(server, () => Promise.resolve());
    const beside = await delays(server, async (person) => {
      const way = parlanceWay(person);
      await Promise.all(Array.from({ length: uploads }, async () => await way.up(randomBytes(uploadBytes))));
    });
    return [
      {
        what: `time between two pieces of an answer, 99th percentile of ${streams} streams, with ${uploads} uploads at once`,
        unit: "ms",
        ours: beside,
        baseline: alone,
        against: "the same without uploads",
        aim: `at most ${aimedDelay} of it`,
        met: beside / alone <= aimedDelay,
      },
    ];
  } finally {
    await server.stop();
    await model.stop();
  }
}

/** The 99th percentile of the time between two events, while `meanwhile` goes on over and over. */
async function delays(server: Parlance, meanwhile: (person: Person) => Promise<void>): Promise<number> {
  const person = await signUp(server.url);
  const gaps: number[] = [];
  let isOver = false;
  const talking = Promise.all(
    Array.from({ length: streams }, async () => {
      let last = 0;
      await ask(person, newId("thread"), "tokens=300 gap=20", () => {
        const now = performance.now();
        if (last > 0) gaps.push(now - last);
        last = now;
      });
    }),
  ).finally(() => (isOver = true));
  const disturbing = (async () => {
    while (!isOver) {
      await meanwhile(person);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  })();
  await talking;
  await disturbing;
  return percentile(gaps, 99);
}
