import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { append, readAfter } from "#storage/log/log.ts";
import { addMessage, addApp, addThread } from "#storage/testing/rows.ts";
import { StorageBusyError, StorageFullError } from "#storage/lib/errors.ts";
import { openDatabase } from "../open.ts";
import { LogOwnedByServerError, openSqlite, openSqliteAlongsideServer } from "./sqlite.ts";
import { DatabaseInUseError } from "./lock.ts";
import { sql } from "../sql.ts";

/** A disk whose syncs end when the test says so. */
function createGatedDisk() {
  let gate = Promise.withResolvers<void>();
  const disk = {
    syncs: 0,
    openLog: async () => ({
      async datasync() {
        disk.syncs++;
        await gate.promise;
        gate = Promise.withResolvers();
      },
      async close() {},
    }),
    finish: () => gate.resolve(),
    fail: (error: Error) => gate.reject(error),
  };
  return disk;
}

describe("SQLite", () => {
  let dataDir = "";
  let path = "";
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "parlance-test-"));
    path = join(dataDir, "parlance.db");
  });
  afterEach(() => rm(dataDir, { recursive: true, force: true }));

  test("creates its folder, which only its owner can read", async () => {
    const inner = join(dataDir, "not", "there");
    const db = await openDatabase({ dataDir: inner });
    await db.write((tx) => addApp(tx, "proj_a"));
    for (const name of ["parlance.db", "parlance.db-wal"]) {
      const { mode } = await stat(join(inner, name));
      expect([name, mode & 0o077]).toEqual([name, 0]);
    }
    expect((await stat(inner)).mode & 0o077).toBe(0);
    await db.close();
  });

  test("acknowledges, publishes and shows a commit only when it is synced, and does not block meanwhile", async () => {
    const disk = createGatedDisk();
    const db = await openSqlite({ path, openLog: disk.openLog });
    const heard: string[] = [];
    db.pubSub.subscribe("run:a", () => heard.push("notified"));
    const writing = db
      .write(async (tx) => {
        await addApp(tx, "proj_a");
        await append(tx, [{ topic: "run:a", bodies: ["1"] }]);
      })
      .then(() => heard.push("acknowledged"));
    await expect.poll(() => disk.syncs).toBe(1);
    const reading = db.read
      .selectFrom("apps")
      .select("id")
      .execute()
      .then((rows) => heard.push(`read ${rows.length}`));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(heard).toEqual([]);
    expect(db.recentEntries?.after("run:a", 0, 10)).toBeUndefined();
    disk.finish();
    await Promise.all([writing, reading]);
    expect(heard).toEqual(["notified", "acknowledged", "read 1"]);
    expect(db.recentEntries?.after("run:a", 0, 10)?.entries).toHaveLength(1);
    await db.close();
  });

  test("syncs all commits that came during a sync at once, and acknowledges them in order", async () => {
    const disk = createGatedDisk();
    const db = await openSqlite({ path, openLog: disk.openLog });
    const order: number[] = [];
    const writing = Array.from({ length: 10 }, (_, n) =>
      db.write((tx) => addApp(tx, `proj_${n}`)).then(() => order.push(n)),
    );
    await expect.poll(() => disk.syncs).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    disk.finish();
    await expect.poll(() => disk.syncs).toBe(2);
    expect(order).toEqual([0]);
    disk.finish();
    await Promise.all(writing);
    expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(disk.syncs).toBe(2);
    await db.close();
  });

  test("acknowledges nothing more after a failed sync", async () => {
    const disk = createGatedDisk();
    const db = await openSqlite({ path, openLog: disk.openLog });
    const heard: unknown[] = [];
    db.pubSub.subscribe("run:a", () => heard.push("notified"));
    const writing = db.write((tx) => append(tx, [{ topic: "run:a", bodies: ["1"] }]));
    await expect.poll(() => disk.syncs).toBe(1);
    disk.fail(new Error("EIO"));
    await expect(writing).rejects.toThrow("EIO");
    await expect(db.write((tx) => addApp(tx, "proj_a"))).rejects.toThrow("start the server again");
    expect(disk.syncs).toBe(1);
    expect(heard).toEqual([]);
    await db.close();
  });

  test("uses a write-ahead log, foreign keys and strict types", async () => {
    const db = await openSqlite({ path });
    const pragma = (name: string) =>
      db.write(
        async (tx) => Object.values((await sql.raw<object>(`pragma ${name}`).execute(tx.q)).rows[0] ?? {})[0],
      );
    expect(await pragma("journal_mode")).toBe("wal");
    expect(await pragma("foreign_keys")).toBe(1);
    const text = sql`insert into apps (id, name, allowed_origins, created_at) values ('proj_a', 'x', '[]', 'yesterday')`;
    await expect(
      db.write((tx) => text.execute(tx.q)),
      "strict",
    ).rejects.toThrow("cannot store TEXT value");
    await db.close();
  });

  test("refuses a second server in the same and in another process until the first is closed", async () => {
    const first = await openSqlite({ path });
    await expect(openSqlite({ path })).rejects.toBeInstanceOf(DatabaseInUseError);
    const other = startAppending(dataDir);
    let words = "";
    other.stderr?.on("data", (data) => (words += String(data)));
    expect(await once(other, "close")).toEqual([1, null]);
    expect(words).toContain("DatabaseInUseError: Another Parlance is using");
    await first.close();
    await (await openSqlite({ path })).close();
  });

  test("releases everything when opening fails", async () => {
    await (await openSqlite({ path })).close();
    const newer = new DatabaseSync(path);
    newer.exec("insert into migrations (name, timestamp) values ('9999-later', '2026-01-01')");
    await expect(openSqlite({ path })).rejects.toThrow("newer Parlance");
    newer.exec("delete from migrations where name = '9999-later'");
    newer.close();
    await (await openSqlite({ path })).close();
  });

  test("loses nothing that was acknowledged when its process is killed, and opens again at once", async () => {
    let acknowledged = 0;
    for (let round = 0; round < 3; round++) {
      const server = startAppending(dataDir);
      const before = acknowledged;
      let words = "";
      server.stdout?.on("data", (data) => {
        words += String(data);
        acknowledged = Number(words.trimEnd().split("\n").at(-1));
        if (acknowledged > before + 200) server.kill("SIGKILL");
      });
      expect(await once(server, "close")).toEqual([null, "SIGKILL"]);
      // The last line may be cut off; the one before it is whole.
      acknowledged = Number(words.slice(0, words.lastIndexOf("\n")).split("\n").at(-1));

      const db = await openSqlite({ path });
      const a = await readAfter(db, "run:a", 0, Number.MAX_SAFE_INTEGER);
      const b = await readAfter(db, "run:b", 0, Number.MAX_SAFE_INTEGER);
      expect(a.lastSeq).toBeGreaterThanOrEqual(acknowledged);
      expect(a.entries.map(({ seq }) => seq)).toEqual(Array.from({ length: a.lastSeq }, (_, i) => i + 1));
      expect(b.entries.length, "a transaction is whole or not there").toBe(2 * a.entries.length);
      await db.close();
    }
  });

  test("can be opened alongside a server that writes all the time, and neither loses anything", async () => {
    await (await openSqlite({ path })).close();
    const server = startAppending(dataDir);
    let words = "";
    const acknowledged = () => words.slice(0, words.lastIndexOf("\n") + 1).split("\n").length - 1;
    const heard = new Set<() => void>();
    server.stdout?.on("data", (data) => {
      words += String(data);
      for (const hear of heard) hear();
    });
    const until = (lines: number) =>
      new Promise<void>((resolve) => {
        const hear = () => {
          if (acknowledged() < lines) return;
          heard.delete(hear);
          resolve();
        };
        heard.add(hear);
        hear();
      });
    await until(5);
    const db = await openSqliteAlongsideServer({ path });
    for (let i = 0; i < 40; i++) await db.write((tx) => addApp(tx, `proj_${i}`));
    expect(await db.read.selectFrom("apps").select("id").execute()).toHaveLength(40);
    // The server writes meanwhile and afterwards.
    await until(acknowledged() + 5);
    await db.close();
    await until(acknowledged() + 5);
    server.kill("SIGKILL");
    expect(await once(server, "close")).toEqual([null, "SIGKILL"]);

    const after = await openSqlite({ path });
    expect(await after.read.selectFrom("apps").select("id").execute()).toHaveLength(40);
    const { entries, lastSeq } = await readAfter(after, "run:a", 0, Number.MAX_SAFE_INTEGER);
    expect(lastSeq).toBeGreaterThanOrEqual(acknowledged());
    expect(entries.map(({ seq }) => seq)).toEqual(Array.from({ length: lastSeq }, (_, i) => i + 1));
    await after.close();
  });

  test("cannot append to logs alongside a server, and rolls back the transaction", async () => {
    const server = await openSqlite({ path });
    const alongside = await openSqliteAlongsideServer({ path });
    const appending = alongside.write(async (tx) => {
      await addApp(tx, "proj_a");
      await append(tx, [{ topic: "run:a", bodies: ["1"] }]);
    });
    await expect(appending).rejects.toBeInstanceOf(LogOwnedByServerError);
    expect(await server.read.selectFrom("apps").selectAll().execute()).toEqual([]);
    expect((await readAfter(server, "run:a", 0, 10)).lastSeq).toBe(0);
    await alongside.write((tx) => addApp(tx, "proj_b"));
    expect(await server.read.selectFrom("apps").select("id").execute()).toEqual([{ id: "proj_b" }]);
    await alongside.close();
    await server.close();
  });

  test("is created when it is opened alongside no server, and a server can start afterwards", async () => {
    const alongside = await openSqliteAlongsideServer({ path });
    await alongside.write((tx) => addApp(tx, "proj_a"));
    expect((await stat(path)).mode & 0o077).toBe(0);
    const server = await openSqlite({ path });
    expect(await server.read.selectFrom("apps").select("id").execute()).toEqual([{ id: "proj_a" }]);
    await server.close();
    await alongside.close();
  });

  test("is not migrated while a server uses it, and the error says so", async () => {
    const server = await openSqlite({ path });
    const other = new DatabaseSync(path);
    const newest = other.prepare("select name from migrations order by name desc limit 1").get() as {
      name: string;
    };
    other.prepare("delete from migrations where name = ?").run(newest.name);
    await expect(openSqliteAlongsideServer({ path, lockTimeoutMs: 100 })).rejects.toBeInstanceOf(
      DatabaseInUseError,
    );
    other.exec("insert into migrations (name, timestamp) values ('9999-later', '2026-01-01')");
    await expect(openSqliteAlongsideServer({ path, lockTimeoutMs: 100 })).rejects.toThrow("newer Parlance");
    other.close();
    await server.close();
  });

  test("reports a full disk, rolls the transaction back, and continues when there is space", async () => {
    const db = await openSqlite({ path });
    const limit = (pages: string) =>
      db.write((tx) => sql.raw(`pragma max_page_count = ${pages}`).execute(tx.q));
    await limit("1");
    const filling = db.write(async (tx) => {
      await addApp(tx, "proj_a");
      await append(tx, [{ topic: "run:a", bodies: [JSON.stringify("x".repeat(100_000))] }]);
    });
    await expect(filling).rejects.toBeInstanceOf(StorageFullError);
    await limit("1000000");
    expect(await db.read.selectFrom("apps").selectAll().execute()).toEqual([]);
    await db.write((tx) => addApp(tx, "proj_b"));
    await db.close();
  });

  test("waits for another program's lock without blocking the process", async () => {
    const db = await openSqlite({ path });
    const other = new DatabaseSync(path);
    other.exec("begin immediate");
    const writing = db.write((tx) => addApp(tx, "proj_a"));
    setTimeout(() => other.exec("rollback"), 150);
    await writing;
    expect(await db.read.selectFrom("apps").select("id").execute()).toEqual([{ id: "proj_a" }]);
    other.close();
    await db.close();
  });

  test("notifies subscribers and clears the cache when another program has written, and only then", async () => {
    const db = await openSqlite({ path, otherWritersPollMs: 5 });
    let heard = 0;
    const woken = Promise.withResolvers<void>();
    db.pubSub.subscribe("other", () => {
      heard += 1;
      woken.resolve();
    });
    await db.write((tx) => append(tx, [{ topic: "run:a", bodies: ["1"] }]));
    expect(db.recentEntries?.after("run:a", 0, 10)?.entries).toHaveLength(1);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(heard, "not for its own writes").toBe(0);
    const other = new DatabaseSync(path);
    other.exec("insert into log_topics values ('run:b', 0, 0)");
    other.close();
    await woken.promise;
    expect(db.recentEntries?.after("run:a", 0, 10)).toBeUndefined();
    await db.close();
  });

  test("is busy when the lock stays", async () => {
    const db = await openSqlite({ path, lockTimeoutMs: 100 });
    const other = new DatabaseSync(path);
    other.exec("begin immediate");
    await expect(db.write((tx) => addApp(tx, "proj_a"))).rejects.toBeInstanceOf(StorageBusyError);
    other.close();
    await db.write((tx) => addApp(tx, "proj_a"));
    await db.close();
  });

  test("lets timers and sockets run between statements", async () => {
    const db = await openSqlite({ path });
    let ticks = 0;
    const ticking = setInterval(() => ticks++, 1);
    const say = () => db.write((tx) => append(tx, [{ topic: "run:a", bodies: ["1"] }]));
    const listen = () => readAfter(db, "run:a", 0, 1);
    for (const ask of [say, listen]) {
      ticks = 0;
      // 3 s: many times what a busy machine needs for five ticks.
      const deadlineMs = performance.now() + 3_000;
      while (ticks < 5 && performance.now() < deadlineMs) await ask();
      expect(ticks).toBeGreaterThanOrEqual(5);
    }
    clearInterval(ticking);
    await db.close();
  });

  test("prepares more statements than it caches", async () => {
    const db = await openSqlite({ path });
    const ask = (i: number) => sql.raw<{ n: number }>(`select ${i} as n`).execute(db.read);
    for (let i = 0; i < 600; i++) expect((await ask(i)).rows[0]?.n).toBe(i);
    for (let i = 0; i < 600; i += 100) expect((await ask(i)).rows[0]?.n).toBe(i);
    await db.close();
  });

  test("uses an index for lists and lookups", async () => {
    const db = await openSqlite({ path });
    const plans = {
      threads_listed: db.read
        .selectFrom("threads")
        .selectAll()
        .where("workspace_id", "=", "w")
        .where("archived", "=", 0)
        .where("deleted_at", "is", null)
        .orderBy("last_message_at", "desc")
        .orderBy("id", "desc"),
      threads_pinned: db.read
        .selectFrom("threads")
        .selectAll()
        .where("workspace_id", "=", "w")
        .where("archived", "=", 0)
        .where("deleted_at", "is", null)
        .where(sql<boolean>`pinned = 1`)
        .orderBy("last_message_at", "desc")
        .orderBy("id", "desc"),
      threads_by_external_id: db.read
        .selectFrom("threads")
        .selectAll()
        .where("workspace_id", "=", "w")
        .where("external_id", "=", "x"),
      threads_in_trash: db.read.selectFrom("threads").selectAll().where("deleted_at", "<", 1),
      messages_listed: db.read
        .selectFrom("messages")
        .selectAll()
        .where("thread_id", "=", "t")
        .orderBy("height", "desc")
        .orderBy("created_at", "desc")
        .orderBy("id", "desc"),
      messages_by_parent: db.read
        .selectFrom("messages")
        .selectAll()
        .where("thread_id", "=", "t")
        .where("parent_id", "=", "m"),
      messages_by_external_id: db.read
        .selectFrom("messages")
        .selectAll()
        .where("thread_id", "=", "t")
        .where("external_id", "=", "x"),
      runs_of_thread: db.read
        .selectFrom("runs")
        .selectAll()
        .where("thread_id", "=", "t")
        .orderBy("created_at", "desc")
        .orderBy("id", "desc"),
      runs_by_reply: db.read.selectFrom("runs").selectAll().where("reply_id", "=", "m"),
      runs_by_message: db.read.selectFrom("runs").selectAll().where("message_id", "=", "m"),
      runs_alive: db.read
        .selectFrom("runs")
        .selectAll()
        .where("state", "=", "running")
        .where("ended_at", "is", null),
      runs_alive_of_thread: db.read
        .selectFrom("runs")
        .selectAll()
        .where("thread_id", "=", "t")
        .where("ended_at", "is", null),
      sessions_by_token: db.read.selectFrom("sessions").selectAll().where("token_hash", "=", "x"),
      sessions_by_user: db.read.selectFrom("sessions").selectAll().where("user_id", "=", "x"),
      api_keys_by_key: db.read.selectFrom("api_keys").selectAll().where("key_hash", "=", "x"),
    };
    for (const [index, query] of Object.entries(plans)) {
      const { sql: text, parameters } = query.compile();
      const plan = sql<{ detail: string }>`explain query plan ${sql.raw(text)}`;
      const asked = { ...plan.compile(db.read), parameters };
      const { rows } = await db.read.executeQuery<{ detail: string }>(asked);
      const details = rows.map(({ detail }) => detail).join("; ");
      expect(details).toContain(`INDEX ${index} `);
      expect(details).not.toContain("TEMP B-TREE");
    }
    await db.close();
  });

  test("deletes a thread whose branch is longer than SQLite's limit of cascades", async () => {
    const db = await openSqlite({ path });
    await db.write(async (tx) => {
      await addThread(tx, "t");
      for (let i = 0; i < 1_500; i++) await addMessage(tx, "t", `m${i}`, i === 0 ? null : `m${i - 1}`);
    });
    await db.write((tx) => tx.q.deleteFrom("threads").where("id", "=", "t").execute());
    expect(await db.read.selectFrom("messages").select("id").execute()).toEqual([]);
    await db.close();
  });
});

function startAppending(dataDir: string): ChildProcess {
  const program = fileURLToPath(new URL("../../testing/append-until-killed.ts", import.meta.url));
  return spawn(process.execPath, [program, dataDir], { stdio: ["ignore", "pipe", "pipe"] });
}
