import { setTimeout as sleep } from "node:timers/promises";
import type { SearchResponse } from "#contract/endpoints/search.ts";
import { createPassages } from "#server/search/passages/passages.ts";
import { openDatabase } from "#storage/database/open.ts";
import { withFolder } from "../support/services.ts";
import { streamUnderLoad, rampMs, windowMs } from "../support/streaming-under-load.ts";
import { storeMillionMessages } from "../support/million-messages.ts";
import {
  call,
  userWithKey,
  startModel,
  startParlance,
  type Parlance,
  type User,
} from "../support/parlance.ts";
import { percentile, type Bench, type Figure } from "../support/report.ts";
import { createTextGenerator, type TextGenerator } from "#fixtures/random-text.ts";

/** The pause between a result and the next search, like that of a fast typist. */
const pauseMs = 100;
const questions = 100;

/** Searches in a large database while answers stream: the delay of both. */
export const searchStreaming: Bench = {
  about:
    "searches among 1,000,000 messages of which 50,000 are one's own while 100 runs stream, beside the same runs alone",
  async run() {
    return await withFolder(async (folder) => {
      const generator = createTextGenerator();
      const { workspaceId } = await storeMillionMessages(folder, generator);
      const asked = await measurePassages(folder, workspaceId, generator);
      const model = await startModel();
      const server = await startParlance({
        DATA_DIR: folder,
        OPENAI_BASE_URL: `${model.url}/v1`,
      });
      try {
        return [...(await measureSearches(server, generator)), asked];
      } finally {
        await server.stop();
        await model.stop();
      }
    });
  },
};

/** The time to find the passages for a question of six words, as an assistant's tool does. */
async function measurePassages(
  folder: string,
  workspaceId: string,
  generator: TextGenerator,
): Promise<Figure> {
  const db = await openDatabase({ dataDir: folder });
  try {
    const passages = createPassages({ db, indexer: { catchUp: async () => true } });
    const ms: number[] = [];
    for (let n = 0; n < questions; n++) {
      const from = performance.now();
      await passages.find({ workspaceId, question: `${generator.text(6)}?`, limit: 5 });
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

async function measureSearches(server: Parlance, generator: TextGenerator): Promise<Figure[]> {
  const searching = userWithKey(server.url, "own");
  const words: number[] = [];
  const chinese: number[] = [];
  const figures = await streamUnderLoad(
    server,
    "searches",
    async () => await searchFor(searching, generator, words, chinese),
  );
  return [
    figureOf(`a words, p95 of ${words.length}`, percentile(words, 95), 50),
    figureOf(`two characters of a Chinese text, p95 of ${chinese.length}`, percentile(chinese, 95), 100),
    ...figures,
  ];
}

/** Searches sequentially during the window. */
async function searchFor(
  person: User,
  generator: TextGenerator,
  words: number[],
  chinese: number[],
): Promise<void> {
  await sleep(rampMs);
  const untilMs = performance.now() + windowMs;
  for (let n = 0; performance.now() < untilMs; n++) {
    const isHan = n % 2 === 1;
    const q = isHan ? generator.han(2) : generator.word();
    const from = performance.now();
    await call<SearchResponse>(person, "GET", `/v1/search?q=${encodeURIComponent(q)}`);
    (isHan ? chinese : words).push(performance.now() - from);
    await sleep(pauseMs);
  }
}

function figureOf(what: string, ours: number, aimMs: number): Figure {
  return { what, unit: "ms", ours, aim: `≤ ${aimMs} ms`, met: ours <= aimMs };
}
