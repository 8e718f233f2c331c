import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { SearchFound } from "#contract/search.ts";
import { apiKey } from "#fixtures/people.ts";
import { createPassages } from "#server/search/passages/passages.ts";
import { openDatabase } from "#storage/sql/open.ts";
import { fillMillion } from "./support/million.ts";
import { call, signUp, startModel, startParlance, type Parlance, type Person } from "./support/parlance.ts";
import { percentile, type Bench, type Figure } from "./support/report.ts";
import { stampede, type Outcome } from "./support/stampede.ts";
import { askStamped } from "./support/stamped.ts";
import { inventWords, type Inventor } from "./support/words.ts";

const runs = 100;
const gapMs = 50;
const rampMs = 4_000;
const windowMs = 20_000;
/** Windows with searches and without, in turns: the machine is not the same from minute to minute. */
const turns = 2;
/** A quick typist: a search begins this long after the last was answered. */
const pauseMs = 100;
const questions = 100;

/** Somebody searches in a large database while others' answers stream: what each has of the other. */
export const searchStreaming: Bench = {
  about:
    "searches among 1,000,000 messages of which 50,000 are one's own while 100 runs stream, beside the same runs alone",
  async run() {
    const folder = mkdtempSync(join(tmpdir(), "parlance-bench-search-streaming-"));
    try {
      const inventor = inventWords();
      const { workspaceId } = await fillMillion(folder, inventor);
      const asked = await askQuestions(folder, workspaceId, inventor);
      const model = await startModel();
      const server = await startParlance({
        DATA_DIR: folder,
        PARLANCE_API_KEY: apiKey,
        OPENAI_BASE_URL: `${model.url}/v1`,
      });
      try {
        return [...(await streamed(server, inventor)), asked];
      } finally {
        await server.stop();
        await model.stop();
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** What an assistant's tool waits for: the passages that answer a question of six words. */
async function askQuestions(folder: string, workspaceId: string, inventor: Inventor): Promise<Figure> {
  const db = await openDatabase({ dataDir: folder });
  try {
    const passages = createPassages({ db, indexer: { catchUp: async () => true } });
    const ms: number[] = [];
    for (let n = 0; n < questions; n++) {
      const from = performance.now();
      await passages.find({ workspaceId, question: `${inventor.text(6)}?`, limit: 5 });
      ms.push(performance.now() - from);
    }
    return {
      what: "passages for a question of six words, p95, in this process",
      unit: "ms",
      ours: percentile(ms, 95),
    };
  } finally {
    await db.close();
  }
}

async function streamed(server: Parlance, inventor: Inventor): Promise<Figure[]> {
  const streaming = await signUp(server.url);
  const searching: Person = {
    url: server.url,
    headers: { Authorization: `Bearer ${apiKey}`, "Aui-User-Id": "ada", "Aui-Workspace-Id": "own" },
  };
  const stream = async (): Promise<Outcome> =>
    await stampede(server, { runs, gapMs, rampMs, windowMs }, (tokens, hear) =>
      askStamped(streaming, tokens, hear),
    );
  const alone: Outcome[] = [];
  const beside: Outcome[] = [];
  const word: number[] = [];
  const han: number[] = [];
  for (let turn = 0; turn < turns; turn++) {
    alone.push(await stream());
    const [outcome] = await Promise.all([stream(), searchFor(searching, inventor, word, han)]);
    beside.push(outcome);
  }
  const worst = (outcomes: Outcome[]) =>
    outcomes.reduce((sum, { p99Ms }) => sum + p99Ms, 0) / outcomes.length;
  const [p99Ms, aloneMs] = [worst(beside), worst(alone)];
  return [
    figureOf(`a word, p95 of ${word.length}`, percentile(word, 95), 50),
    figureOf(`two characters of a Chinese text, p95 of ${han.length}`, percentile(han, 95), 100),
    {
      what: `${runs} runs: p99 from the model's token to the reader, mean of ${turns} windows`,
      unit: "ms",
      ours: p99Ms,
      baseline: aloneMs,
      against: "the same runs with nobody searching",
      aim: "at most 1.2 ×",
      met: p99Ms <= 1.2 * aloneMs,
    },
    {
      what: `${runs} runs: tokens lost or out of order`,
      unit: "",
      ours: [...alone, ...beside].reduce((sum, { wrong }) => sum + wrong, 0),
      aim: "0",
      met: [...alone, ...beside].every(({ wrong }) => wrong === 0),
    },
  ];
}

/** Searches one after the other while the runs are watched. */
async function searchFor(person: Person, inventor: Inventor, word: number[], han: number[]): Promise<void> {
  await sleep(rampMs);
  const untilMs = performance.now() + windowMs;
  for (let n = 0; performance.now() < untilMs; n++) {
    const isHan = n % 2 === 1;
    const q = isHan ? inventor.han(2) : inventor.word();
    const from = performance.now();
    await call<SearchFound>(person, "GET", `/v1/search?q=${encodeURIComponent(q)}`);
    (isHan ? han : word).push(performance.now() - from);
    await sleep(pauseMs);
  }
}

function figureOf(what: string, ours: number, aimMs: number): Figure {
  return { what, unit: "ms", ours, aim: `≤ ${aimMs} ms`, met: ours <= aimMs };
}
