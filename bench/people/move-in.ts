import { createReadStream, statSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { createTextGenerator } from "#fixtures/random-text.ts";
import { writeWebUi } from "#tests/support/data/webui-db.ts";
import { createOwner } from "../providers/owner.ts";
import { startModel, startParlance, userWithKey } from "../support/parlance.ts";
import type { Bench, Figure } from "../support/report.ts";
import { withFolder } from "../support/services.ts";
import { streamManyRuns } from "../support/stream-many-runs.ts";
import { askForTimestamps } from "../support/timestamped-answers.ts";

const people = 200;
const chatsPerPerson = 250;
const wordsPerMessage = 60;
const aimSeconds = 600;
const maxMs = 200;
const streaming = { runs: 20, gapMs: 50, rampMs: 1_000, windowMs: 15_000 };

/** Everybody of an Open WebUI server is imported while others read answers. */
export const movingIn: Bench = {
  about: `import of Open WebUI with ${people} people and ${people * chatsPerPerson} chats while ${streaming.runs} runs stream, beside the same runs alone`,
  async run() {
    return await withFolder(async (folder) => {
      const file = join(folder, "webui.db");
      write(file);
      const model = await startModel();
      const server = await startParlance({ OPENAI_BASE_URL: `${model.url}/v1`, IMPORT_MEGABYTES: "4096" });
      try {
        // A key, because the token of a guest expires meanwhile.
        const reader = userWithKey(server.url, "reader");
        const owner = await createOwner(server);
        const stream = async () =>
          await streamManyRuns(server, streaming, async (tokens, onTimestamps) => {
            await askForTimestamps(reader, tokens, onTimestamps);
          });
        const alone = await stream();
        let isImporting = true;
        const imported = importAll(server.url, owner.headers, file).finally(() => (isImporting = false));
        // Reported by `await` below.
        imported.catch(() => {});
        const during = [];
        while (isImporting) during.push(await stream());
        return figures((await imported) / 1_000, file, alone.p99Ms, during);
      } finally {
        await server.stop();
        await model.stop();
      }
    });
  },
};

function figures(seconds: number, file: string, aloneMs: number, during: { p99Ms: number }[]): Figure[] {
  const p99Ms = Math.max(...during.map((outcome) => outcome.p99Ms));
  return [
    {
      what: `import of ${people} people with ${people * chatsPerPerson} chats, ${Math.round(statSync(file).size / 1e6)} MB`,
      unit: "s",
      ours: seconds,
      aim: `at most ${aimSeconds} s`,
      met: seconds <= aimSeconds,
    },
    {
      what: `${streaming.runs} runs meanwhile: p99 from the model's token to the reader, the worst of ${during.length} windows`,
      unit: "ms",
      ours: p99Ms,
      baseline: aloneMs,
      against: "the same runs before the import",
      aim: `at most ${maxMs} ms`,
      met: p99Ms <= maxMs,
    },
  ];
}

function write(path: string): void {
  const generator = createTextGenerator();
  writeWebUi(path, (database) => {
    for (let person = 0; person < people; person++) {
      database.person(`u${person}`, `Person ${person}`, `p${person}@example.com`);
      for (let number = 0; number < chatsPerPerson; number++) {
        const id = `c${person}-${number}`;
        const messages = Object.fromEntries(
          Array.from({ length: 8 }, (_, at) => [
            `${id}-${at}`,
            {
              id: `${id}-${at}`,
              parentId: at === 0 ? null : `${id}-${at - 1}`,
              role: at % 2 === 0 ? "user" : "assistant",
              content: generator.text(wordsPerMessage),
              timestamp: 1_760_000_000 + at,
            },
          ]),
        );
        database.chat(`u${person}`, id, { chat: { history: { currentId: `${id}-7`, messages } } });
      }
    }
  });
}

async function importAll(url: string, headers: Record<string, string>, file: string): Promise<number> {
  const from = performance.now();
  const response = await fetch(`${url}/v1/people/import`, {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/octet-stream" },
    body: Readable.toWeb(createReadStream(file)) as ReadableStream<Uint8Array>,
    duplex: "half",
  });
  const report = await response.text();
  const last = report.trimEnd().slice(report.trimEnd().lastIndexOf("\n") + 1);
  if (!last.includes(`"added":${people * chatsPerPerson}`))
    throw new Error(`The import responded ${response.status}: ${last.slice(0, 1_000)}`);
  return performance.now() - from;
}
