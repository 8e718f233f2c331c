import { gzipSync } from "node:zlib";
import { Long, serialize } from "bson";
import { expect } from "vitest";
import { pictureBytes } from "../support/data/chat-products.ts";
import { webUiDatabase, type WebUi } from "../support/data/webui-db.ts";
import { zipped } from "../support/data/zips.ts";
import { exportThread, importFile, outcomesOf } from "../support/clients/transfer.ts";
import { describeServer, test } from "../support/servers/server.ts";

/** The home installation of one person, with a chat whose messages are rows, and leftovers of people who are gone. */
function home(database: WebUi): void {
  database.person("u1", "Ben", "ben@example.com");
  database.insert("folder", { id: "f1", user_id: "u1", name: "Plants" });
  database.insert("tag", { id: "in_the_shade", name: "In the shade", user_id: "u1" });
  database.chat("u1", "garden", { folder_id: "f1", meta: { tags: ["in_the_shade"] } });
  database.chat("u1", "rows", {
    chat: { title: "rows", models: [], history: { currentId: "q", messages: {} } },
  });
  const message = { chat_id: "rows", user_id: "u1", done: 1, created_at: 1_760_000_000 };
  database.insert("chat_message", { ...message, id: "rows-q", role: "user", content: '"Which fern?"' });
  database.insert("chat_message", {
    ...message,
    id: "rows-a",
    role: "assistant",
    parent_id: "q",
    content: '"This one."',
    model_id: "llama3:8b",
    created_at: 1_760_000_001,
  });
  // Foreign keys to nothing.
  database.insert("chat_message", {
    ...message,
    id: "gone-x",
    chat_id: "gone",
    role: "user",
    content: '"lost"',
  });
  database.chat("nobody", "orphan");
  database.chat("shared-garden", "copy");
  database.chat("u1", "of-a-task", { meta: { internal: true } });
  database.insert("prompt", {
    command: "/plant",
    user_id: "u1",
    title: "Plant",
    content: "Plant {{name}}",
    timestamp: 1,
  });
  database.insert("memory", { id: "m1", user_id: "u1", content: "Likes ferns" });
}

/** An archive of a database as `mongodump --archive` writes it, with the documents of all collections in turn. */
function mongoArchive(collections: Record<string, readonly object[]>): Buffer {
  const names = Object.keys(collections);
  const place = (collection: string) => ({ db: "LibreChat", collection });
  const end = Buffer.from([255, 255, 255, 255]);
  const block = (collection: string, documents: readonly object[], isLast: boolean) => [
    bson({ ...place(collection), EOF: isLast, CRC: new Long(0) }),
    bson(...documents),
    end,
  ];
  const longest = Math.max(...Object.values(collections).map(({ length }) => length));
  const rounds = Array.from({ length: longest }, (_, at) =>
    names.flatMap((name) =>
      collections[name]!.slice(at, at + 1).flatMap((each) => block(name, [each], false)),
    ),
  );
  return Buffer.concat([
    Buffer.from([0x6d, 0xe2, 0x99, 0x81]),
    bson({ concurrent_collections: 4, version: "0.1", server_version: "8.0.4", tool_version: "100.10.0" }),
    bson({ db: "admin", collection: "system.version", metadata: "{}", size: 1, type: "collection" }),
    bson(...names.map((name) => ({ ...place(name), metadata: "{}", size: 1, type: "collection" }))),
    end,
    ...rounds.flat(),
    ...names.flatMap((name) => block(name, [], true)),
  ]);
}

const bson = (...documents: object[]) => Buffer.concat(documents.map((each) => serialize(each)));

describeServer("an import of another product's database", {}, () => {
  test("adds the chats of Open WebUI's only person, with folders, tags and prompts, once", async ({
    eve,
  }) => {
    const file = await webUiDatabase(home);
    const { start, threads, end } = await importFile(eve, file);
    expect(start).toMatchObject({ kind: "open-webui", threads: 2 });
    expect(threads.map(({ title, messages }) => [title, messages])).toEqual([
      ["About garden", 4],
      ["About rows", 2],
    ]);
    const { thread } = await exportThread(eve, threads[0]!.thread_id!);
    expect(thread.metadata).toMatchObject({ parlance: { folder: "Plants", tags: ["In the shade"] } });
    const { messages } = await exportThread(eve, threads[1]!.thread_id!);
    expect(messages).toMatchObject([
      { role: "user" },
      { role: "assistant", made_by: { model: "llama3:8b" } },
    ]);
    expect(end).toMatchObject({
      prompts: 1,
      skipped: [
        { reason: "not-yet", name: "memories", count: 1 },
        { reason: "unknown", name: "chats of people who were deleted", count: 1 },
      ],
    });
    const again = await importFile(eve, file);
    expect(outcomesOf(again)).toEqual(["unchanged", "unchanged"]);
    expect(again.end).toMatchObject({ prompts: 0 });
  });

  test("adds the files of Open WebUI's data folder", async ({ ada }) => {
    const zip = await zipped({
      "data/webui.db": await webUiDatabase(home),
      "data/uploads/0b6e3f0a-2f0e-4d0f-8a52-1b1d3d2c4e5f_plants.pdf": pictureBytes,
      "data/vector_db/chroma.sqlite3": "vectors",
    });
    const { threads, end } = await importFile(ada, zip);
    expect(threads).toMatchObject([{ files: 2, missing_files: 0 }, { files: 0 }]);
    expect(end).toMatchObject({ unused_files: 0 });
  });

  test("adds LibreChat's chats, prompts and presets from a dump, once", async ({ eve }) => {
    const at = new Date(1_760_000_000_000);
    const zip = await zipped({
      "dump/LibreChat/users.bson": bson({
        _id: "u1",
        name: "Ben",
        email: "ben@example.com",
        password: "hash",
      }),
      "dump/LibreChat/conversations.bson": bson({
        conversationId: "c1",
        title: "Ferns",
        user: "u1",
        isArchived: true,
        tags: ["shade"],
        createdAt: at,
        updatedAt: at,
      }),
      "dump/LibreChat/messages.bson": bson(
        {
          messageId: "a",
          parentMessageId: "q",
          conversationId: "c1",
          isCreatedByUser: false,
          text: "Ferns.",
          model: "gpt-4o",
          createdAt: new Date(at.getTime() + 1),
        },
        {
          messageId: "q",
          parentMessageId: "00000000-0000-0000-0000-000000000000",
          conversationId: "c1",
          isCreatedByUser: true,
          text: "What?",
          createdAt: at,
        },
      ),
      "dump/LibreChat/messages.metadata.json": "{}",
      "dump/LibreChat/promptgroups.bson": bson({
        _id: "g1",
        name: "Plant",
        author: "u1",
        productionId: "p1",
      }),
      "dump/LibreChat/prompts.bson": bson({ _id: "p1", groupId: "g1", prompt: "Plant {{name}}" }),
      "dump/LibreChat/presets.bson": bson({
        presetId: "s1",
        user: "u1",
        title: "Short",
        promptPrefix: "Be short.",
      }),
      "dump/LibreChat/sharedlinks.bson": bson({ _id: "l1", conversationId: "c1" }),
    });
    const { start, threads, end } = await importFile(eve, zip);
    expect(start).toMatchObject({ kind: "librechat" });
    expect(threads).toMatchObject([{ outcome: "added", title: "Ferns", messages: 2 }]);
    expect(end).toMatchObject({
      prompts: 2,
      skipped: [{ reason: "not-yet", name: "shared links", count: 1 }],
    });
    expect((await exportThread(eve, threads[0]!.thread_id!)).messages).toMatchObject([
      { role: "user" },
      { role: "assistant", made_by: { model: "gpt-4o" } },
    ]);
    const again = await importFile(eve, zip);
    expect(outcomesOf(again)).toEqual(["unchanged"]);
    expect(again.end).toMatchObject({ prompts: 0 });
  });

  test("refuses a database of several people, which only an administrator imports", async ({ ada }) => {
    const file = await webUiDatabase((database) => {
      home(database);
      database.person("u2", "Cy", "cy@example.com");
      database.chat("u2", "other");
    });
    await expect(importFile(ada, file)).rejects.toThrow("import-of-several");
  });

  test("adds nothing of a database that is cut, in use, or of another program", async ({ ada }) => {
    const file = await webUiDatabase((database) => {
      home(database);
      for (let number = 0; number < 50; number++) database.chat("u1", `more-${number}`);
    });
    await expect(importFile(ada, file.subarray(0, file.length / 2))).rejects.toThrow("import-damaged");
    const inUse = await zipped({ "webui.db": file, "webui.db-wal": "changes" });
    await expect(importFile(ada, inUse)).rejects.toThrow("import-in-use");
    const other = await webUiDatabase((database) => database.run("drop table chat"));
    await expect(importFile(ada, other)).rejects.toThrow("import-unknown");
    const { threads } = await ada.call("threads.list", {});
    expect(threads).toEqual([]);
  });

  test("reads a newer database, with columns and tables that it does not know", async ({ ada }) => {
    const file = await webUiDatabase((database) => {
      home(database);
      database.run("alter table chat add column hologram blob; update chat set hologram = x'00ff'");
      database.run("create table dream (id text primary key, chat_id text references chat(id))");
    });
    expect(outcomesOf(await importFile(ada, file))).toEqual(["added", "added"]);
  });

  test("adds LibreChat's chats from an archive of mongodump, compressed or not, and refuses one that is cut or grows too much", async ({
    eve,
    ada,
  }) => {
    const at = new Date(1_760_000_000_000);
    const message = (messageId: string, isCreatedByUser: boolean) => ({
      messageId,
      parentMessageId: isCreatedByUser ? "00000000-0000-0000-0000-000000000000" : "q",
      conversationId: "c1",
      isCreatedByUser,
      text: isCreatedByUser ? "What?" : "Ferns.",
      createdAt: at,
    });
    const dump = {
      users: [{ _id: "u1", name: "Ben", email: "ben@example.com" }],
      conversations: [{ conversationId: "c1", title: "Ferns", user: "u1", createdAt: at }],
      messages: [message("q", true), message("a", false)],
      sessions: [{ _id: "s", token: "secret" }],
      memoryentries: [{ _id: "m1", userId: "u1", value: "Likes ferns" }],
      sharedlinks: [],
    };
    const archive = mongoArchive(dump);
    expect((await importFile(ada, archive)).threads).toMatchObject([
      { outcome: "added", title: "Ferns", messages: 2 },
    ]);
    const { start, threads, end } = await importFile(eve, gzipSync(archive));
    expect(start).toMatchObject({ kind: "librechat", threads: 1 });
    expect(threads).toMatchObject([{ outcome: "added", title: "Ferns", messages: 2 }]);
    expect(end).toMatchObject({ skipped: [{ reason: "not-yet", name: "memories", count: 1 }] });
    expect(outcomesOf(await importFile(eve, archive))).toEqual(["unchanged"]);
    const folder = Object.entries(dump).map(([name, rows]) => [
      `dump/${name}.bson.gz`,
      gzipSync(bson(...rows)),
    ]);
    const zip = await zipped(Object.fromEntries(folder) as Record<string, Buffer>);
    expect(outcomesOf(await importFile(eve, zip))).toEqual(["unchanged"]);

    // At the end of a block, too.
    for (const cut of [1, 4, 40, archive.length - 200])
      await expect(importFile(eve, archive.subarray(0, -cut))).rejects.toThrow("import-damaged");
    await expect(importFile(eve, gzipSync(archive).subarray(0, -20))).rejects.toThrow("import-damaged");
    const { users: _, ...withoutUsers } = dump;
    await expect(importFile(eve, mongoArchive(withoutUsers))).rejects.toThrow("import-unknown");
    const bomb = mongoArchive({
      ...dump,
      sessions: [...Array(3)].map(() => ({ zeros: Buffer.alloc(8 * 2 ** 20) })),
    });
    await expect(importFile(eve, gzipSync(bomb))).rejects.toThrow("import-unsafe");
  });

  test("refuses a dump that is cut", async ({ ada }) => {
    const users = bson({ _id: "u1", name: "Ben" });
    const zip = await zipped({
      "users.bson": users,
      "conversations.bson": bson({ conversationId: "c1", user: "u1" }).subarray(0, 20),
      "messages.bson": Buffer.alloc(0),
    });
    await expect(importFile(ada, zip)).rejects.toThrow("import-damaged");
  });
});
