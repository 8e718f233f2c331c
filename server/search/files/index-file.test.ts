import { expect, test } from "vitest";
import type { Database } from "#storage/database/database.ts";
import { documentsWith } from "#storage/database/full-text.ts";
import { describeEveryEngine } from "#storage/testing/engines.ts";
import { seedFiles } from "#tests/support/data/file-rows.ts";
import { owner } from "../../apps/first-app.ts";
import { createIndexer } from "../index-texts.ts";
import { withWorkspacePrefix } from "../workspace-prefix.ts";
import { piecesOf } from "./pieces.ts";

const indexerOf = (db: Database) => createIndexer({ db });

async function seedRead(db: Database, name: string, text: string, pages: number | null = null) {
  const [id] = await seedFiles(db, [name]);
  await db.write(async (tx) => {
    await tx.q
      .insertInto("file_texts")
      .values({ blob_key: `blob/${id}`, reader: 1, reason: null, text, is_cut: 0, pages, created_at: 1 })
      .execute();
  });
  return id!;
}

const documents = async (db: Database) =>
  await db.read.selectFrom("search_file_documents").selectAll().orderBy("number", "desc").execute();

async function withWord(db: Database, word: string): Promise<number> {
  const wanted = { all: [{ words: [withWorkspacePrefix(owner.workspaceId, word)] }] };
  const range = { from: 0, below: Number.MAX_SAFE_INTEGER };
  const rows = await db.read
    .selectFrom(documentsWith(db, "search_file_words", wanted, range).as("found"))
    .select("number")
    .execute();
  return rows.length;
}

const long = Array.from({ length: 40_000 }, (_, index) => `word${index % 700}`).join(" ");

describeEveryEngine("indexing files", (open) => {
  test("works with several indexers at once, also on a long file", async () => {
    const db = await open();
    const id = await seedRead(db, "long.txt", long);
    const indexers = [1, 2, 3].map(() => indexerOf(db));
    await Promise.all(indexers.map(async (indexer) => await indexer.catchUp(Infinity)));
    const rows = await documents(db);
    expect(rows.every((row) => row.file_id === id && row.last_number === rows.at(-1)!.number)).toBe(true);
    expect(rows.map(({ number }) => number - rows.at(-1)!.number)).toEqual([...rows.keys()].toReversed());
    expect(rows.length).toBeGreaterThan(4);
    expect(await withWord(db, "word1")).toBe(rows.length);
    expect(await withWord(db, "long")).toBe(rows.length);
    expect(await db.read.selectFrom("search_pending").selectAll().execute()).toEqual([]);
  });

  test("restarts after a crash, and when the text was extracted again", async () => {
    const db = await open();
    const id = await seedRead(db, "long.txt", long);
    const indexer = indexerOf(db);
    await indexer.catchUp(Infinity);
    const count = (await documents(db)).length;
    await db.write(async (tx) => {
      await tx.q.deleteFrom("search_file_documents").where("start", ">", 0).execute();
      await tx.q.insertInto("search_pending").values({ kind: "file", id }).execute();
    });
    await indexer.catchUp(Infinity);
    expect(await documents(db)).toHaveLength(count);
    expect(await withWord(db, "word1")).toBe(count);
    await db.write(async (tx) => {
      await tx.q.updateTable("file_texts").set({ text: "A short one", created_at: 2 }).execute();
    });
    await indexer.catchUp(Infinity);
    expect(await documents(db)).toHaveLength(1);
    expect([await withWord(db, "word1"), await withWord(db, "short")]).toEqual([0, 1]);
  });

  test("indexes again what a transaction changes while the former text is indexed", async () => {
    const db = await open();
    const indexer = indexerOf(db);
    await seedRead(db, "notes.txt", "A former one");
    const changed = Promise.withResolvers<void>();
    const end = Promise.withResolvers<void>();
    const change = db.write(async (tx) => {
      await tx.q.updateTable("file_texts").set({ text: "A heron", created_at: 2 }).execute();
      changed.resolve();
      await end.promise;
    });
    await changed.promise;
    const during = indexer.catchUp(Infinity);
    setTimeout(end.resolve, 200);
    await Promise.all([during, change]);
    await indexer.catchUp(Infinity);
    expect([await withWord(db, "former"), await withWord(db, "heron")]).toEqual([0, 1]);
    expect(await db.read.selectFrom("search_pending").selectAll().execute()).toEqual([]);
  });

  test("leaves nothing of a file that is deleted, also during indexing", async () => {
    const db = await open();
    const indexer = indexerOf(db);
    for (let round = 0; round < 5; round++) {
      await seedRead(db, "long.txt", long);
      const gone = async () => await db.write(async (tx) => void (await tx.q.deleteFrom("files").execute()));
      await Promise.all([indexer.catchUp(Infinity), gone()]);
    }
    await indexer.catchUp(Infinity);
    expect(await documents(db)).toEqual([]);
    expect(await withWord(db, "word1")).toBe(0);
  });

  test("does not delay messages or searches", async () => {
    const db = await open();
    await seedRead(db, "long.txt", long);
    const indexer = indexerOf(db);
    expect(await indexer.catchUp(0)).toBe(false);
    expect(await indexer.catchUp(Infinity)).toBe(true);
  });
});

test("splits a text into consecutive pieces, each with its page and the words of the name", async () => {
  const page = `${"日本語の文章。".repeat(300)}😀 end`;
  const text = Array.from({ length: 12 }, () => page).join("\f");
  const file = { workspaceId: "w", name: "Report 7.pdf", text, hasPages: true };
  const pieces = await piecesOf(file);
  expect(pieces.length).toBeGreaterThan(2);
  const characters = Array.from(text);
  const joined = pieces.map(({ start, characters: count }) =>
    characters.slice(start, start + count).join(""),
  );
  expect(joined.join("")).toBe(text);
  for (const [index, piece] of pieces.entries()) {
    expect(piece.page).toBe(1 + joined.slice(0, index).join("").split("\f").length - 1);
    expect(piece.words.slice(-3)).toEqual(
      ["report", "7", "pdf"].map((term) => withWorkspacePrefix("w", term)),
    );
    expect(piece.words.length).toBeLessThanOrEqual(8_000);
  }
  expect(await piecesOf({ ...file, name: "—", text: "" })).toEqual([]);
});
