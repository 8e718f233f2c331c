import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { ensureFirstRows, owner } from "#server/auth/first-rows.ts";
import { systemClock } from "#server/lib/clock.ts";
import { startIndexer } from "#server/search/index-texts.ts";
import { createPassages } from "#server/search/passages/passages.ts";
import { createSearch } from "#server/search/search.ts";
import type { Database } from "#storage/database/database.ts";
import { openDatabase } from "#storage/database/open.ts";
import { freshDatabaseUrl } from "#tests/support/postgres.ts";
import { setup as startPostgres } from "#tests/support/postgres-for-the-run.ts";
import type { Bench, Figure } from "./support/report.ts";
import { storeThread } from "./support/store-thread.ts";
import { readWritten, type Asked, type WrittenThread } from "./support/threads.ts";

const among = 5;
const aim = 0.85;

/** How often the right passage is among the first five, on both engines, compared with a plain index. */
export const retrieval: Bench = {
  about:
    "whether the passage that answers a question is among the first five, beside bare bm25 over whole messages and files, and the search field",
  async run() {
    const { threads, asked } = readWritten();
    console.log(`  ${threads.length} threads, ${asked.length} questions`);
    const figures = await onSqlite(threads, asked);
    const stopPostgres = await startPostgres();
    try {
      const { url, drop } = await freshDatabaseUrl();
      try {
        figures.push(
          ...(await onDatabase("PostgreSQL", { databaseUrl: url, dataDir: tmpdir() }, threads, asked)),
        );
      } finally {
        await drop();
      }
    } finally {
      await stopPostgres?.();
    }
    return figures;
  },
};

async function onSqlite(threads: WrittenThread[], asked: Asked[]): Promise<Figure[]> {
  const dataDir = mkdtempSync(join(tmpdir(), "parlance-bench-retrieval-"));
  try {
    return await onDatabase("SQLite", { dataDir }, threads, asked);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function onDatabase(
  engine: string,
  place: { dataDir: string; databaseUrl?: string },
  threads: WrittenThread[],
  asked: Asked[],
): Promise<Figure[]> {
  const db = await openDatabase(place);
  const indexer = startIndexer({ db, clock: systemClock, logger: { error: console.error } as never });
  try {
    await ensureFirstRows(db, Date.now());
    for (const thread of threads) await storeThread(db, thread);
    await indexer.catchUp(Infinity);
    return await judged(engine, db, indexer, asked);
  } finally {
    await indexer.stop();
    await db.close();
  }
}

async function judged(
  engine: string,
  db: Database,
  indexer: Pick<ReturnType<typeof startIndexer>, "catchUp">,
  asked: Asked[],
): Promise<Figure[]> {
  const passages = createPassages({ db, indexer });
  const search = createSearch({ db, indexer });
  const { workspaceId } = owner;
  const bare = await bareIndex(db);
  const found: (Asked & { ours: boolean; first: boolean; field: boolean; bare: boolean })[] = [];
  const lengths: number[] = [];
  for (const one of asked) {
    const texts = (await passages.find({ workspaceId, question: one.question, limit: among })).map(
      ({ text }) => text,
    );
    lengths.push(...texts.map(({ length }) => length));
    const { hits } = await search.find({ workspaceId }, { q: one.question, kind: "message", limit: among });
    const whole = await db.read
      .selectFrom("messages")
      .select("plain_text")
      .where("id", "in", [...hits.map(({ message_id: id }) => id!), ""])
      .execute();
    const has = (text: string): boolean => text.includes(one.answer);
    found.push({
      ...one,
      ours: texts.some(has),
      first: texts.slice(0, 1).some(has),
      // It finds whole messages of any length.
      field: whole.some(({ plain_text: text }) => has(text)),
      bare: bare(one.question).some(has),
    });
  }
  const missed = found.filter(({ ours, half }) => !ours && half === "tuned");
  if (process.env.BENCH_TUNING !== undefined)
    for (const { name, question } of missed) console.log(`  missed ${name}: ${question}`);
  const mean = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
  console.log(`  ${engine}: a passage has ${Math.round(mean)} characters on average`);
  const of = (what: string, some: typeof found, judge: boolean): Figure => {
    const ours = share(some.map((one) => one.ours));
    return {
      what: `recall@${among}, ${engine}, ${what} (${some.length} questions)`,
      unit: "of 1",
      ours,
      baseline: share(some.map((one) => one.bare)),
      against: "bare bm25 over stemmed words of whole messages and files",
      ...(judge ? { aim: `≥ ${aim}`, met: ours >= aim } : {}),
    };
  };
  const half = (name: Asked["half"]) => found.filter((one) => one.half === name);
  return [
    of("all", found, true),
    of("the half that nothing was tuned on", half("held out"), true),
    of("the other half", half("tuned"), true),
    ...[...new Set(found.map(({ language }) => language))].map((language) =>
      of(
        `in ${language}`,
        found.filter((one) => one.language === language),
        false,
      ),
    ),
    { what: `recall@1, ${engine}, all`, unit: "of 1", ours: share(found.map(({ first }) => first)) },
    {
      what: `recall@${among} of the search field, which wants every word, ${engine}, all`,
      unit: "of 1",
      ours: share(found.map(({ field }) => field)),
    },
  ];
}

/** SQLite's own ranking over the same messages and files: any of the question's words, with its English stemmer. */
async function bareIndex(db: Database): Promise<(question: string) => string[]> {
  const index = new DatabaseSync(":memory:");
  index.exec("create virtual table said using fts5(text, tokenize = 'porter unicode61')");
  const put = index.prepare("insert into said (text) values (?)");
  for (const { plain_text: text } of await db.read.selectFrom("messages").select("plain_text").execute())
    put.run(text);
  for (const { text } of await db.read.selectFrom("file_texts").select("text").execute()) put.run(text);
  const best = index.prepare("select text from said where said match ? order by bm25(said) limit ?");
  return (question) => {
    const words = question.match(/[\p{L}\p{N}]+/gu) ?? [];
    const rows = best.all(words.map((word) => `"${word}"`).join(" OR "), among);
    return rows.map((row) => String(row["text"]));
  };
}

function share(hits: boolean[]): number {
  return hits.filter(Boolean).length / hits.length;
}
