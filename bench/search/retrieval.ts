import { tmpdir } from "node:os";
import { DatabaseSync } from "node:sqlite";
import { ensureFirstApp, owner } from "#server/apps/first-app.ts";
import { createIndexer } from "#server/search/index-texts.ts";
import { createPassages } from "#server/search/passages/passages.ts";
import { createSearch } from "#server/search/search.ts";
import type { Database } from "#storage/database/database.ts";
import { openDatabase } from "#storage/database/open.ts";
import { freshDatabaseUrl } from "#tests/support/postgres/postgres.ts";
import { setup as startPostgres } from "#tests/support/postgres/postgres-for-the-run.ts";
import { withFolder } from "../support/services.ts";
import type { Bench, Figure } from "../support/report.ts";
import { storeThread } from "../support/store-thread.ts";
import {
  readRetrievalData,
  type RetrievalQuestion,
  type RetrievalThread,
} from "../support/retrieval-data.ts";

const passageLimit = 5;
const minRecall = 0.85;

/** How often the right passage is among the first five results, on both engines, compared with a plain index. */
export const retrieval: Bench = {
  about:
    "whether the passage that answers a question is among the first five, beside bare bm25 over whole messages and files, and the search field",
  async run() {
    const { threads, questions } = readRetrievalData();
    console.log(`  ${threads.length} threads, ${questions.length} questions`);
    const figures = await withFolder(
      async (dataDir) => await onDatabase("SQLite", { dataDir }, threads, questions),
    );
    const stopPostgres = await startPostgres();
    try {
      const { url, drop } = await freshDatabaseUrl();
      try {
        figures.push(
          ...(await onDatabase("PostgreSQL", { databaseUrl: url, dataDir: tmpdir() }, threads, questions)),
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

async function onDatabase(
  engine: string,
  databaseOptions: { dataDir: string; databaseUrl?: string },
  threads: RetrievalThread[],
  questions: RetrievalQuestion[],
): Promise<Figure[]> {
  const db = await openDatabase(databaseOptions);
  const indexer = createIndexer({ db });
  try {
    await ensureFirstApp(db, Date.now());
    for (const thread of threads) await storeThread(db, thread);
    await indexer.catchUp(Infinity);
    return await evaluate(engine, db, indexer, questions);
  } finally {
    await db.close();
  }
}

async function evaluate(
  engine: string,
  db: Database,
  indexer: Pick<ReturnType<typeof createIndexer>, "catchUp">,
  questions: RetrievalQuestion[],
): Promise<Figure[]> {
  const passages = createPassages({ db, indexer });
  const search = createSearch({ db, indexer, sharedWith: async () => [] });
  const { workspaceId } = owner;
  const bare = await bareIndex(db);
  const found: (RetrievalQuestion & { ours: boolean; first: boolean; field: boolean; bare: boolean })[] = [];
  const lengths: number[] = [];
  for (const each of questions) {
    const texts = (await passages.find({ workspaceId, question: each.question, limit: passageLimit })).map(
      ({ text }) => text,
    );
    lengths.push(...texts.map(({ length }) => length));
    const { hits } = await search.find(
      { ...owner, kind: "admin", role: "owner", workspaceName: "", credentialId: "" },
      { q: each.question, kind: "message", limit: passageLimit },
    );
    const messages = await db.read
      .selectFrom("messages")
      .select("plain_text")
      .where("id", "in", [...hits.map(({ message_id: id }) => id!), ""])
      .execute();
    const has = (text: string): boolean => text.includes(each.answer);
    found.push({
      ...each,
      ours: texts.some(has),
      first: texts.slice(0, 1).some(has),
      field: messages.some(({ plain_text: text }) => has(text)),
      bare: bare(each.question).some(has),
    });
  }
  const missed = found.filter(({ ours, half }) => !ours && half === "tuned");
  if (process.env.BENCH_TUNING !== undefined)
    for (const { name, question } of missed) console.log(`  missed ${name}: ${question}`);
  const mean = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
  console.log(`  ${engine}: passages have ${Math.round(mean)} characters on average`);
  const of = (what: string, some: typeof found, hasAim: boolean): Figure => {
    const ours = share(some.map((each) => each.ours));
    return {
      what: `recall@${passageLimit}, ${engine}, ${what} (${some.length} questions)`,
      unit: "of 1",
      ours,
      baseline: share(some.map((each) => each.bare)),
      against: "bare bm25 over stemmed words of whole messages and files",
      ...(hasAim ? { aim: `≥ ${minRecall}`, met: ours >= minRecall } : {}),
    };
  };
  const half = (name: RetrievalQuestion["half"]) => found.filter((each) => each.half === name);
  return [
    of("all", found, true),
    of("the half not used for tuning", half("held out"), true),
    of("the half used for tuning", half("tuned"), true),
    ...[...new Set(found.map(({ language }) => language))].map((language) =>
      of(
        `in ${language}`,
        found.filter((each) => each.language === language),
        false,
      ),
    ),
    { what: `recall@1, ${engine}, all`, unit: "of 1", ours: share(found.map(({ first }) => first)) },
    {
      what: `recall@${passageLimit} of the search field, which requires every word, ${engine}, all`,
      unit: "of 1",
      ours: share(found.map(({ field }) => field)),
    },
  ];
}

/** SQLite's bm25 over the same messages and files, for any of the question's words, with its English stemmer. */
async function bareIndex(db: Database): Promise<(question: string) => string[]> {
  const index = new DatabaseSync(":memory:");
  index.exec("create virtual table documents using fts5(text, tokenize = 'porter unicode61')");
  const insert = index.prepare("insert into documents (text) values (?)");
  for (const { plain_text: text } of await db.read.selectFrom("messages").select("plain_text").execute())
    insert.run(text);
  for (const { text } of await db.read.selectFrom("file_texts").select("text").execute()) insert.run(text);
  const best = index.prepare(
    "select text from documents where documents match ? order by bm25(documents) limit ?",
  );
  return (question) => {
    const words = question.match(/[\p{L}\p{N}]+/gu) ?? [];
    const rows = best.all(words.map((word) => `"${word}"`).join(" OR "), passageLimit);
    return rows.map((row) => String(row["text"]));
  };
}

function share(hits: boolean[]): number {
  return hits.filter(Boolean).length / hits.length;
}
