import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { SearchResponse } from "#contract/endpoints/search.ts";
import { createPassages } from "#server/search/passages/passages.ts";
import { openDatabase } from "#storage/database/open.ts";
import { disturbed, rampMs, windowMs } from "./support/disturbed.ts";
import { fillMillion } from "./support/million.ts";
import {
  call,
  personWithKey,
  startModel,
  startParlance,
  type Parlance,
  type Person,
} from "./support/parlance.ts";
import { percentile, type Bench, type Figure } from "./support/report.ts";
import { inventWords, type Inventor } from "./support/words.ts";

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
  const searching = personWithKey(server.url, "own");
  const word: number[] = [];
  const han: number[] = [];
  const figures = await disturbed(
    server,
    "searches",
    async () => await searchFor(searching, inventor, word, han),
  );
  return [
    figureOf(`a word, p95 of ${word.length}`, percentile(word, 95), 50),
    figureOf(`two characters of a Chinese text, p95 of ${han.length}`, percentile(han, 95), 100),
    ...figures,
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
    await call<SearchResponse>(person, "GET", `/v1/search?q=${encodeURIComponent(q)}`);
    (isHan ? han : word).push(performance.now() - from);
    await sleep(pauseMs);
  }
}

function figureOf(what: string, ours: number, aimMs: number): Figure {
  return { what, unit: "ms", ours, aim: `≤ ${aimMs} ms`, met: ours <= aimMs };
}
