import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { SearchResponse, SearchThreadsResponse } from "#contract/endpoints/search.ts";
import { withFolder } from "../support/services.ts";
import { storeMillionMessages } from "../support/million-messages.ts";
import { call, userWithKey, startParlance } from "../support/parlance.ts";
import { percentile, type Bench, type Figure } from "../support/report.ts";
import { createTextGenerator, type TextGenerator } from "#fixtures/random-text.ts";

const searches = 200;

/** Searches over HTTP in a large database, compared with an index of one user's messages. */
export const search: Bench = {
  about: "a search over 1,000,000 messages of which 50,000 are one's own, beside a bare index of those alone",
  async run() {
    return await withFolder(async (folder) => {
      const bare = new DatabaseSync(join(folder, "bare.db"));
      bare.exec("create virtual table own using fts5(text, content = '')");
      try {
        const generator = createTextGenerator();
        const indexing = await storeMessages(folder, bare, generator);
        const server = await startParlance({ DATA_DIR: folder });
        try {
          return [...(await measureSearches(server.url, bare, generator)), indexing];
        } finally {
          await server.stop();
        }
      } finally {
        bare.close();
      }
    });
  },
};

/** Stores the messages in both databases. Returns the time to index a message. */
async function storeMessages(folder: string, bare: DatabaseSync, generator: TextGenerator): Promise<Figure> {
  const insert = bare.prepare("insert into own (rowid, text) values (?, ?)");
  const { indexUs } = await storeMillionMessages(folder, generator, (own) => {
    bare.exec("begin");
    for (const { number, text } of own) insert.run(number, text);
    bare.exec("commit");
  });
  return { what: "indexing a message of 40 words", unit: "µs", ours: indexUs };
}

async function measureSearches(url: string, bare: DatabaseSync, generator: TextGenerator): Promise<Figure[]> {
  const person = userWithKey(url, "own");
  const statement = bare.prepare("select rowid from own where own match ? order by rowid desc limit 20");
  const kinds: [what: string, nextQuery: () => string, aimMs: number][] = [
    ["a word", () => generator.word(), 50],
    ["two words", () => `${generator.word()} ${generator.word()}`, 50],
    ["the beginning of a word", () => generator.word().slice(0, 3), 50],
    ["two characters of a Chinese text", () => generator.han(2), 100],
  ];
  const figures: Figure[] = [];
  for (const [what, nextQuery, aimMs] of kinds) {
    const ours: number[] = [];
    const byThread: number[] = [];
    const theirs: number[] = [];
    let hits = 0;
    for (let n = 0; n < searches; n++) {
      const q = nextQuery();
      let from = performance.now();
      const found = await call<SearchResponse>(person, "GET", `/v1/search?q=${encodeURIComponent(q)}`);
      ours.push(performance.now() - from);
      hits += found.hits.length;
      from = performance.now();
      await call<SearchThreadsResponse>(person, "GET", `/v1/search/threads?q=${encodeURIComponent(q)}`);
      byThread.push(performance.now() - from);
      from = performance.now();
      statement.all(
        q
          .split(" ")
          .map((word, index, all) => `"${word}"${index === all.length - 1 ? " *" : ""}`)
          .join(" AND "),
      );
      theirs.push(performance.now() - from);
    }
    if (hits === 0) throw new Error(`There were no results for ${what}.`);
    const p95 = percentile(ours, 95);
    figures.push({
      what: `${what}, p95`,
      unit: "ms",
      ours: p95,
      baseline: percentile(theirs, 95),
      against: "a bare index of one's own, in this process",
      aim: `≤ ${aimMs} ms`,
      met: p95 <= aimMs,
    });
    for (const percent of [50, 95])
      figures.push({
        what: `${what}, by thread, p${percent}`,
        unit: "ms",
        ours: percentile(byThread, percent),
        baseline: percentile(ours, percent),
        against: "the same search by message",
      });
  }
  return figures;
}
