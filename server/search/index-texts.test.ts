import { expect, test } from "vitest";
import type { Database } from "#storage/database/database.ts";
import { documentsWith } from "#storage/database/full-text.ts";
import { sql } from "#storage/database/sql.ts";
import { describeEveryEngine } from "#storage/testing/engines.ts";
import { messageRow, threadRow } from "#storage/testing/rows.ts";
import { ensureFirstApp, owner } from "../apps/first-app.ts";
import { createIndexer } from "./index-texts.ts";
import { findPending } from "./rows.ts";
import { withWorkspacePrefix } from "./workspace-prefix.ts";

async function seedThread(db: Database, words: string[]): Promise<string> {
  const nowMs = Date.now();
  await ensureFirstApp(db, nowMs);
  const thread = threadRow({ app_id: owner.appId, workspace_id: owner.workspaceId }, nowMs);
  await db.write(async (tx) => {
    await tx.q
      .insertInto("threads")
      .values({ ...thread, title: "A title" })
      .execute();
    for (const plain of words)
      await tx.q
        .insertInto("messages")
        .values(messageRow(thread.id, plain, nowMs))
        .execute();
  });
  return thread.id;
}

describeEveryEngine("indexing messages", (open, engine) => {
  test.runIf(engine === "postgres")("holds no message while it waits for the thread", async () => {
    const db = await open();
    const threadId = await seedThread(db, ["One", "Two"]);
    const locked = Promise.withResolvers<void>();
    const work = db.write(async (tx) => {
      await tx.q.selectFrom("threads").select("id").where("id", "=", threadId).forUpdate().execute();
      locked.resolve();
      const waiting = sql<{ pid: number }>`
        select pid from pg_locks where transactionid = pg_current_xact_id()::xid and not granted`;
      await expect.poll(async () => (await waiting.execute(tx.q)).rows.length).toBe(1);
      // It would wait for a transaction that deletes the thread, and that one for it.
      const free = tx.q.selectFrom("messages").select("id").forUpdate().skipLocked();
      expect(await free.execute()).toHaveLength(2);
    });
    await locked.promise;
    await Promise.all([work, createIndexer({ db }).catchUp(Infinity)]);
    expect(await findPending(db, 10)).toEqual([]);
  });

  test("continues while texts are deleted", async () => {
    const db = await open();
    const indexer = createIndexer({ db });
    for (let round = 0; round < 12; round++) {
      const threadId = await seedThread(
        db,
        Array.from({ length: 30 }, (_, n) => `Words ${n} of round ${round}`),
      );
      const gone = async (): Promise<void> => {
        await db.write(async (tx) => {
          await tx.q.deleteFrom("threads").where("id", "=", threadId).execute();
        });
      };
      const [caughtUp] = await Promise.all([indexer.catchUp(Infinity), gone()]);
      expect(caughtUp).toBe(true);
    }
    await indexer.catchUp(Infinity);
    expect(await findPending(db, 10)).toEqual([]);
    expect(await db.read.selectFrom("search_documents").selectAll().execute()).toEqual([]);
  });

  test("works with several indexers at once", async () => {
    const db = await open();
    const indexers = [1, 2, 3].map(() => createIndexer({ db }));
    await seedThread(
      db,
      Array.from({ length: 120 }, (_, n) => `Words ${n}`),
    );
    await Promise.all(indexers.map(async (indexer) => await indexer.catchUp(Infinity)));
    const documents = await db.read.selectFrom("search_documents").select("message_id").execute();
    expect(documents).toHaveLength(121);
    expect(new Set(documents.map(({ message_id: id }) => id)).size).toBe(121);
  });

  test("leaves changed texts at their place among others of the same time", async () => {
    const db = await open();
    const indexer = createIndexer({ db });
    const threadId = await seedThread(db, ["One", "Two", "Three"]);
    await indexer.catchUp(Infinity);
    const documents = async () =>
      await db.read
        .selectFrom("search_documents")
        .select(["message_id", "number"])
        .orderBy("number")
        .execute();
    const before = await documents();
    await db.write(async (tx) => {
      await tx.q
        .insertInto("messages")
        .values(messageRow(threadId, "Four", Date.now()))
        .execute();
      await tx.q.updateTable("messages").set({ plain_text: "Changed" }).execute();
    });
    await indexer.catchUp(Infinity);
    expect(await documents()).toEqual([...before, expect.anything()]);
  });

  test("indexes again what a transaction changes while the former text is indexed", async () => {
    const db = await open();
    const indexer = createIndexer({ db });
    await seedThread(db, ["One"]);
    const changed = Promise.withResolvers<void>();
    const end = Promise.withResolvers<void>();
    const change = db.write(async (tx) => {
      await tx.q.updateTable("messages").set({ plain_text: "Heron" }).execute();
      await tx.q.updateTable("threads").set({ title: "Heron" }).execute();
      changed.resolve();
      await end.promise;
    });
    await changed.promise;
    const during = indexer.catchUp(Infinity);
    setTimeout(end.resolve, 200);
    await Promise.all([during, change]);
    await indexer.catchUp(Infinity);
    const wanted = { all: [{ words: [withWorkspacePrefix(owner.workspaceId, "heron")] }] };
    const range = { from: 0, below: Number.MAX_SAFE_INTEGER };
    const found = await db.read
      .selectFrom(documentsWith(db, "search_words", wanted, range).as("found"))
      .select("number")
      .execute();
    expect(found).toHaveLength(2);
    expect(await findPending(db, 10)).toEqual([]);
  });
});
