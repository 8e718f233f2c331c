import pg from "pg";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { engines, freshDatabaseUrl } from "#tests/support/postgres/postgres.ts";
import { append, readAfter } from "#storage/log/log.ts";
import { createPostgresPubSub } from "#storage/pub-sub/postgres-pub-sub.ts";
import { createCuttableProxy, type CuttableProxy } from "#storage/testing/cuttable-proxy.ts";
import { addMigration } from "#storage/testing/migrations.ts";
import { addApp } from "#storage/testing/rows.ts";
import type { Database } from "../database.ts";
import { StorageBusyError, StorageFullError } from "#storage/lib/errors.ts";
import { openPostgres } from "./postgres.ts";
import { sql } from "../sql.ts";

describe.runIf(engines.includes("postgres"))("PostgreSQL", () => {
  let url = "";
  let proxy: CuttableProxy;
  const undo: (() => Promise<void>)[] = [];

  beforeEach(async () => {
    const database = await freshDatabaseUrl();
    undo.push(database.drop);
    url = database.url;
    proxy = await createCuttableProxy(url);
    undo.push(() => proxy.close());
  });
  afterEach(async () => {
    for (let last = undo.pop(); last !== undefined; last = undo.pop()) await last();
  });

  async function open(through = url, poolSize = 4): Promise<Database> {
    const db = await openPostgres({ url: through, poolSize });
    undo.push(() => db.close());
    return db;
  }

  const say = (db: Database, word: string): Promise<unknown> =>
    db.write((tx) => append(tx, [{ topic: "run:a", bodies: [JSON.stringify(word)] }]));
  const said = async (db: Database): Promise<unknown[]> =>
    (await readAfter(db, "run:a", 0, 100)).entries.map(({ body }) => JSON.parse(body));

  const appsNamed = async (q: Database["read"], name: string): Promise<unknown[]> =>
    await q.selectFrom("apps").selectAll().where("name", "=", name).execute();

  /** Texts end with a zero byte in the protocol, so "read committed" does not match. */
  const isCommit = (data: Buffer): boolean => data.includes("commit\0");

  test("reports a server that cannot be reached as busy", async () => {
    await proxy.cut();
    await expect(openPostgres({ url: proxy.url })).rejects.toBeInstanceOf(StorageBusyError);
    await proxy.restore();
  });

  test("writeFirst does not wait for a connection that others use", async () => {
    const db = await open(url, 1);
    const begun = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const holding = db.write(async () => {
      begun.resolve();
      await held.promise;
    });
    await begun.promise;
    expect(await db.writeFirst(async () => "done")).toBe("done");
    held.resolve();
    await holding;
  });

  test("survives a restart of the server, and is busy meanwhile", async () => {
    const db = await open(proxy.url);
    await say(db, "before");
    await proxy.cut();
    await expect(say(db, "away")).rejects.toBeInstanceOf(StorageBusyError);
    await expect(said(db)).rejects.toBeInstanceOf(StorageBusyError);
    await proxy.restore();
    await say(db, "after");
    expect(await said(db)).toEqual(["before", "after"]);
  });

  test("repeats a migration that deadlocks with a running server", async () => {
    await open();
    const server = new pg.Client({ connectionString: url });
    await server.connect();
    undo.push(async () => await server.end());
    // Makes PostgreSQL cancel the migration, not this transaction.
    await server.query("set deadlock_timeout = '1min'");
    await server.query("begin");
    await server.query("select count(*) from files");
    const waiting = `select 1 from pg_locks where not granted
      and database = (select oid from pg_database where datname = current_database())`;
    addMigration("9999-two-tables", async (q) => {
      await sql`alter table threads add column color text`.execute(q);
      await sql`alter table files add column color text`.execute(q);
    });
    const migrated = open();
    while ((await server.query(waiting)).rowCount === 0);
    await server.query("select count(*) from threads");
    await server.query("commit");
    expect((await sql`select color from files`.execute((await migrated).read)).rows).toEqual([]);
  });

  test("prepares what is used often, but not behind a pooler", async () => {
    const prepared = async (db: Database): Promise<unknown[]> =>
      await db.write(async (tx) => {
        for (let n = 0; n < 12; n++) await appsNamed(tx.q, "Ada's");
        const { rows } = await sql`select statement from pg_prepared_statements`.execute(tx.q);
        return rows;
      });
    expect(await prepared(await open(url, 1))).toEqual([
      { statement: expect.stringMatching(/^select \* from "apps"/) as unknown },
    ]);
    const pooled = await openPostgres({ url, directUrl: url, poolSize: 1 });
    undo.push(() => pooled.close());
    expect(await prepared(pooled)).toEqual([]);
  });

  test("reads and writes on while a newer server adds a column", async () => {
    const db = await open(url, 1);
    const named = async (): Promise<unknown[]> => [
      ...(await appsNamed(db.read, "Ada's")),
      ...(await db.write(async (tx) => await appsNamed(tx.q, "Ada's"))),
    ];
    await db.write(async (tx) => await addApp(tx, "proj_a"));
    for (let n = 0; n < 12; n++) await named();
    const newer = new pg.Client({ connectionString: url });
    await newer.connect();
    undo.push(async () => await newer.end());
    await newer.query("alter table apps add column hue text default 'red'");
    expect(await named()).toMatchObject([{ hue: "red" }, { hue: "red" }]);
    await newer.query("alter table apps add column size text default 'big'");
    expect(await db.write(async (tx) => await appsNamed(tx.q, "Ada's"))).toMatchObject([{ size: "big" }]);
    for (let n = 0; n < 12; n++) expect(await named()).toMatchObject([{ size: "big" }, { size: "big" }]);
    // As a pooler does between two clients.
    await sql`deallocate all`.execute(db.read);
    expect(await named()).toMatchObject([{ size: "big" }, { size: "big" }]);
  });

  test("repeats a transaction whose connection is lost", async () => {
    const db = await open();
    let attempts = 0;
    await db.write(async (tx) => {
      attempts++;
      await append(tx, [{ topic: "run:a", bodies: ['"once"'] }]);
      if (attempts === 1) await endConnections(url, "parlance");
    });
    expect(attempts).toBe(2);
    expect(await said(db)).toEqual(["once"]);
  });

  test.each([
    ["before the server received it", "cut-before", 2],
    ["before the server's answer arrived", "cut-after", 1],
  ] as const)(
    "applies a transaction once when the connection is lost during the commit, %s",
    async (_, action, attempts) => {
      const db = await open(proxy.url);
      let attempted = 0;
      proxy.onSent = (data) => {
        if (!isCommit(data)) return "pass";
        proxy.onSent = undefined;
        return action;
      };
      let notified = 0;
      db.pubSub.subscribe("run:a", () => notified++);
      await db.write(async (tx) => {
        attempted++;
        await append(tx, [{ topic: "run:a", bodies: ['"once"'] }]);
      });
      expect(attempted).toBe(attempts);
      expect(await said(db)).toEqual(["once"]);
      expect(notified).toBeGreaterThan(0);
    },
  );

  test("repeats what the server asks to repeat, with fresh topics to publish, and gives up after a few times", async () => {
    const db = await open();
    let attempts = 0;
    const topics: number[] = [];
    const failing = async (times: number): Promise<void> =>
      db.write(async (tx) => {
        topics.push(tx.publishOnCommit.size);
        await append(tx, [{ topic: "run:a", bodies: ['"once"'] }]);
        if (attempts++ < times) await raise("40001").execute(tx.q);
      });
    await failing(2);
    expect(attempts).toBe(3);
    expect(topics).toEqual([0, 0, 0]);
    expect(await said(db)).toEqual(["once"]);
    attempts = 0;
    await expect(failing(100)).rejects.toBeInstanceOf(StorageBusyError);
    expect(attempts).toBe(6);
  });

  test("commits both of two transactions that deadlock", async () => {
    const db = await open();
    await db.write(async (tx) => {
      await addApp(tx, "proj_a");
      await addApp(tx, "proj_b");
    });
    const touch = (tx: Parameters<Parameters<Database["write"]>[0]>[0], id: string) =>
      tx.q
        .updateTable("apps")
        .set((eb) => ({ created_at: eb("created_at", "+", 1) }))
        .where("id", "=", id)
        .execute();
    const both = Promise.withResolvers<void>();
    let holding = 0;
    const crossing = (first: string, second: string) =>
      db.write(async (tx) => {
        await touch(tx, first);
        if (++holding === 2) both.resolve();
        await both.promise;
        await touch(tx, second);
      });
    await Promise.all([crossing("proj_a", "proj_b"), crossing("proj_b", "proj_a")]);
    const rows = await db.read.selectFrom("apps").select("created_at").execute();
    expect(rows).toEqual([{ created_at: 2 }, { created_at: 2 }]);
  });

  test("reports a full disk", async () => {
    const db = await open();
    await expect(db.write((tx) => raise("53100").execute(tx.q))).rejects.toBeInstanceOf(StorageFullError);
  });

  test("notifies the other servers at the commit, of any number of topics", async () => {
    const [here, there] = [await open(), await open()];
    const topics = Array.from({ length: 400 }, (_, i) => `run:${i}_${'é"'.repeat(20)}`);
    const heard = new Set<string>();
    const all = Promise.withResolvers<void>();
    for (const topic of topics) {
      there.pubSub.subscribe(topic, () => {
        heard.add(topic);
        if (heard.size === topics.length) all.resolve();
      });
    }
    await here.write(async (tx) => {
      await append(
        tx,
        topics.map((topic) => ({ topic, bodies: ["1"] })),
      );
      await sql`select pg_sleep(0.1)`.execute(tx.q);
      expect(heard.size).toBe(0);
    });
    await all.promise;
  });

  test("notifies its own listeners once, and ignores what other programs send", async () => {
    const [here, there] = [await open(), await open()];
    let notified = 0;
    here.pubSub.subscribe("run:a", () => notified++);
    const heard = new Promise<void>((resolve) => there.pubSub.subscribe("run:a", resolve));
    await sql`select pg_notify('parlance', 'hello'), pg_notify('parlance', '[1]'), pg_notify('parlance', '{}')`.execute(
      here.read,
    );
    await say(here, "1");
    await heard;
    const again = new Promise<void>((resolve) => here.pubSub.subscribe("run:b", resolve));
    await there.write(async (tx) => void tx.publishOnCommit.add("run:b"));
    await again;
    expect(notified).toBe(1);
  });

  test("reconnects after its connection was ended, and publishes every topic", async () => {
    const [here, there] = [await open(), await open()];
    const waiting: (() => void)[] = [];
    there.pubSub.subscribe("run:a", () => waiting.shift()?.());
    const notification = (): Promise<void> => new Promise((resolve) => waiting.push(resolve));
    const back = notification();
    await endConnections(url, "parlance notifications");
    await expect(back).resolves.toBeUndefined();
    const heard = notification();
    await say(here, "1");
    await expect(heard).resolves.toBeUndefined();
  });

  test("misses nothing that is published while it reconnects", async () => {
    const [here, there] = [await open(), await open(proxy.url)];
    let read: Promise<unknown[]> | undefined;
    there.pubSub.subscribe("run:a", () => void (read = said(here)));
    const listening = Promise.withResolvers<void>();
    proxy.onSent = async (data) => {
      // The entry's own notification is missed, so the reconnect must make the follower read.
      if (data.includes("listen parlance")) {
        await say(here, "1");
        listening.resolve();
      }
      return "pass" as const;
    };
    await endConnections(url, "parlance notifications");
    await listening.promise;
    await expect.poll(async () => await read).toEqual(["1"]);
  });

  test("reconnects when its connection is silent", async () => {
    const newClient = (): pg.Client => new pg.Client({ connectionString: proxy.url, query_timeout: 500 });
    let connections = 0;
    proxy.onSent = (data) => {
      if (data.includes("listen parlance")) connections++;
      return connections === 1 && data.includes("select 1") ? new Promise(() => {}) : "pass";
    };
    const pubSub = createPostgresPubSub({ newClient, sender: "ada", probeMs: 20 });
    await pubSub.connected;
    await new Promise<void>((resolve) => pubSub.subscribe("run:a", resolve));
    expect(connections).toBeGreaterThan(1);
    await pubSub.close();
  });

  test("closes while its server is unreachable", async () => {
    const db = await open(proxy.url);
    await proxy.cut();
    await expect(db.close()).resolves.toBeUndefined();
    await proxy.restore();
  });

  test("emits no warnings and leaves no connection open", async () => {
    const spy = vi.spyOn(process, "emitWarning");
    const db = await open();
    await Promise.all(Array.from({ length: 20 }, (_, i) => say(db, String(i))));
    await db.close();
    await expect.poll(async () => await connections(url)).toBe(0);
    expect(spy).not.toHaveBeenCalled();
    spy.mockRestore();
  });
});

const raise = (code: string) =>
  sql`do ${sql.raw(`$$ begin raise exception using errcode = '${code}'; end $$`)}`;

async function endConnections(url: string, name: string): Promise<void> {
  await ask(
    url,
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = '${name}'
    and datname = current_database()`,
  );
}

async function connections(url: string): Promise<number> {
  const rows = await ask(
    url,
    `select count(*)::int as count from pg_stat_activity
    where application_name like 'parlance%' and datname = current_database()`,
  );
  return Number(rows[0]?.count);
}

async function ask(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}
