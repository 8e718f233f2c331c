import { createReadStream, createWriteStream, statSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createTextGenerator } from "#fixtures/random-text.ts";
import { chatGptConversation, exportedMessage } from "#tests/support/data/conversations.ts";
import {
  signUp,
  startModel,
  startParlance,
  userWithKey,
  type Parlance,
  type User,
} from "../support/parlance.ts";
import type { Bench, Figure } from "../support/report.ts";
import { withFolder } from "../support/services.ts";
import { streamManyRuns } from "../support/stream-many-runs.ts";
import { askForTimestamps } from "../support/timestamped-answers.ts";

/** What a person with years of chats exports. */
const megabytes = 580;
/** 200 messages of 120 words each; about 240 kB. */
const messagesPerThread = 200;
const wordsPerMessage = 120;
const aimSeconds = 200;
const maxMs = 150;
const streaming = { runs: 20, gapMs: 50, rampMs: 1_000, windowMs: 15_000 };

/** A large export of ChatGPT is imported while others read answers. */
export const importing: Bench = {
  about: `import of a ChatGPT export of ${megabytes} MB over HTTP while ${streaming.runs} runs stream, beside the same runs alone`,
  async run() {
    return await withFolder(async (folder) => {
      const file = join(folder, "conversations.json");
      const threads = await writeExport(file);
      const model = await startModel();
      const server = await startParlance({
        OPENAI_BASE_URL: `${model.url}/v1`,
        IMPORT_MEGABYTES: String(2 * megabytes),
      });
      try {
        return await measure(server, file, threads);
      } finally {
        await server.stop();
        await model.stop();
      }
    });
  },
};

/** Returns the number of its conversations. */
async function writeExport(path: string): Promise<number> {
  const generator = createTextGenerator();
  let threads = 0;
  function* conversations(): Generator<string> {
    let written = 0;
    yield "[";
    while (written < megabytes * 1e6) {
      const messages = Array.from({ length: messagesPerThread }, (_, n) =>
        exportedMessage(n % 2 === 0 ? "user" : "assistant", generator.text(wordsPerMessage)),
      );
      const text = JSON.stringify(chatGptConversation(`conversation-${threads}`, messages));
      yield threads === 0 ? text : `,${text}`;
      written += text.length;
      threads++;
    }
    yield "]";
  }
  await pipeline(Readable.from(conversations()), createWriteStream(path));
  return threads;
}

async function measure(server: Parlance, file: string, threads: number): Promise<Figure[]> {
  const reader = await signUp(server.url);
  const stream = async () =>
    await streamManyRuns(server, streaming, async (tokens, onTimestamps) => {
      await askForTimestamps(reader, tokens, onTimestamps);
    });
  const alone = await stream();
  let isImporting = true;
  const importedMs = importAll(userWithKey(server.url, "importer"), file, threads).finally(
    () => (isImporting = false),
  );
  // Reported by `await` below.
  importedMs.catch(() => {});
  const during = [];
  while (isImporting) during.push(await stream());
  const seconds = (await importedMs) / 1_000;
  const p99Ms = Math.max(...during.map((outcome) => outcome.p99Ms));
  return [
    {
      what: `import of ${Math.round(statSync(file).size / 1e6)} MB, ${threads * messagesPerThread} messages`,
      unit: "s",
      ours: seconds,
      aim: `at most ${aimSeconds} s`,
      met: seconds <= aimSeconds,
    },
    {
      what: `${streaming.runs} runs meanwhile: p99 from the model's token to the reader, the worst of ${during.length} windows`,
      unit: "ms",
      ours: p99Ms,
      baseline: alone.p99Ms,
      against: "the same runs before the import",
      aim: `at most ${maxMs} ms`,
      met: p99Ms <= maxMs,
    },
  ];
}

async function importAll(person: User, file: string, threads: number): Promise<number> {
  const from = performance.now();
  const response = await fetch(`${person.url}/v1/import`, {
    method: "POST",
    headers: person.headers,
    body: Readable.toWeb(createReadStream(file)) as ReadableStream<Uint8Array>,
    duplex: "half",
  });
  const report = await response.text();
  const last = report.trimEnd().slice(report.trimEnd().lastIndexOf("\n") + 1);
  if (!last.includes(`"messages":${threads * messagesPerThread}`))
    throw new Error(`The import responded ${response.status}: ${last.slice(0, 1_000)}`);
  return performance.now() - from;
}
