import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { newId } from "#contract/ids.ts";
import type { SearchFound } from "#contract/search.ts";
import { apiKey } from "#fixtures/people.ts";
import { ensureFirstRows, owner } from "#server/auth/first-rows.ts";
import { systemClock } from "#server/clock.ts";
import { startIndexer } from "#server/search/index-texts.ts";
import { openDatabase } from "#storage/sql/open.ts";
import type { Database } from "#storage/sql/database.ts";
import { call, startParlance, type Person } from "./support/parlance.ts";
import { percentile, type Bench, type Figure } from "./support/report.ts";
import { inventWords, type Inventor } from "./support/words.ts";

const messages = 1_000_000;
const ownShare = 20;
const otherWorkspaces = 95;
const wordsPerMessage = 40;
/** Every tenth message is Chinese, of one's own as of all. */
const hanEvery = 10;
const batch = 5_000;
const searches = 200;

/** Searches over HTTP in a large database, beside a bare index of one's own messages alone. */
export const search: Bench = {
  about: "a search over 1,000,000 messages of which 50,000 are one's own, beside a bare index of those alone",
  async run() {
    const folder = mkdtempSync(join(tmpdir(), "parlance-bench-search-"));
    const bare = new DatabaseSync(join(folder, "bare.db"));
    bare.exec("create virtual table own using fts5(text, content = '')");
    try {
      const inventor = inventWords();
      const indexing = await fill(folder, bare, inventor);
      const server = await startParlance({ DATA_DIR: folder, PARLANCE_API_KEY: apiKey });
      try {
        return [...(await searched(server.url, bare, inventor)), indexing];
      } finally {
        await server.stop();
      }
    } finally {
      bare.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** Answers how long a message takes to index. */
async function fill(folder: string, bare: DatabaseSync, inventor: Inventor): Promise<Figure> {
  const db = await openDatabase({ dataDir: folder });
  const logger = { error: console.error } as never;
  const indexer = startIndexer({ db, clock: systemClock, logger });
  let indexMs = 0;
  try {
    await ensureFirstRows(db, Date.now());
    const threads = await makeThreads(db);
    const own = bare.prepare("insert into own (rowid, text) values (?, ?)");
    for (let from = 0; from < messages; from += batch) {
      const texts = Array.from({ length: batch }, (_, n) =>
        Math.floor((from + n) / ownShare) % hanEvery === 0
          ? inventor.han(wordsPerMessage)
          : inventor.text(wordsPerMessage),
      );
      await store(db, threads, from, texts);
      bare.exec("begin");
      for (const [n, text] of texts.entries()) if ((from + n) % ownShare === 0) own.run(from + n + 1, text);
      bare.exec("commit");
      const startedMs = performance.now();
      await indexer.catchUp(Infinity);
      indexMs += performance.now() - startedMs;
      if ((from + batch) % 100_000 === 0) console.log(`  ${from + batch} messages`);
    }
  } finally {
    await indexer.stop();
    await db.close();
  }
  return { what: "indexing a message of 40 words", unit: "µs", ours: (indexMs * 1_000) / messages };
}

/** The first is one's own. */
async function makeThreads(db: Database): Promise<string[]> {
  const nowMs = Date.now();
  const threads: string[] = [];
  for (let n = 0; n <= otherWorkspaces; n++) {
    const workspaceId = newId("workspace");
    const threadId = newId("thread");
    threads.push(threadId);
    await db.write(async (tx) => {
      await tx.q
        .insertInto("workspaces")
        .values({
          id: workspaceId,
          project_id: owner.projectId,
          realm: "external",
          name: n === 0 ? "own" : `other-${n}`,
          created_at: nowMs,
        })
        .execute();
      await tx.q
        .insertInto("threads")
        .values({
          id: threadId,
          project_id: owner.projectId,
          workspace_id: workspaceId,
          last_message_at: nowMs,
          archived: 0,
          pinned: 0,
          created_at: nowMs,
          updated_at: nowMs,
        })
        .execute();
    });
  }
  return threads;
}

async function store(db: Database, threads: string[], from: number, texts: string[]): Promise<void> {
  const startMs = Date.UTC(2026, 0, 1);
  await db.write(async (tx) => {
    for (let at = 0; at < texts.length; at += 500) {
      const rows = texts.slice(at, at + 500).map((text, index) => {
        const number = from + at + index;
        const thread = number % ownShare === 0 ? threads[0]! : threads[1 + (number % otherWorkspaces)]!;
        return {
          id: newId("message", startMs + number),
          thread_id: thread,
          height: 0,
          role: "user" as const,
          format: "aui/v0",
          content: "{}",
          plain_text: text,
          status: "complete" as const,
          created_at: startMs + number * 1_000,
          updated_at: startMs,
        };
      });
      await tx.q.insertInto("messages").values(rows).execute();
    }
  });
}

async function searched(url: string, bare: DatabaseSync, inventor: Inventor): Promise<Figure[]> {
  const person: Person = {
    url,
    headers: { Authorization: `Bearer ${apiKey}`, "Aui-User-Id": "ada", "Aui-Workspace-Id": "own" },
  };
  const statement = bare.prepare("select rowid from own where own match ? order by rowid desc limit 20");
  const kinds: [what: string, typed: () => string, aimMs: number][] = [
    ["a word", () => inventor.word(), 50],
    ["two words", () => `${inventor.word()} ${inventor.word()}`, 50],
    ["the beginning of a word", () => inventor.word().slice(0, 3), 50],
    ["two characters of a Chinese text", () => inventor.han(2), 100],
  ];
  const figures: Figure[] = [];
  for (const [what, typed, aimMs] of kinds) {
    const ours: number[] = [];
    const theirs: number[] = [];
    let hits = 0;
    for (let n = 0; n < searches; n++) {
      const q = typed();
      let from = performance.now();
      const found = await call<SearchFound>(person, "GET", `/v1/search?q=${encodeURIComponent(q)}`);
      ours.push(performance.now() - from);
      hits += found.hits.length;
      from = performance.now();
      statement.all(
        q
          .split(" ")
          .map((word, index, all) => `"${word}"${index === all.length - 1 ? " *" : ""}`)
          .join(" AND "),
      );
      theirs.push(performance.now() - from);
    }
    if (hits === 0) throw new Error(`Nothing was found for ${what}.`);
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
  }
  return figures;
}
