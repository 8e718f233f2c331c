import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { engines, freshDatabaseUrl } from "#tests/support/postgres/postgres.ts";
import { createCuttableProxy } from "#storage/testing/cuttable-proxy.ts";
import type { Database } from "../database.ts";
import { openPostgres } from "./postgres.ts";
import { holdProcessLock, lockedProcessName } from "./process-lock.ts";

async function freshUrl(): Promise<string> {
  const { url, drop } = await freshDatabaseUrl();
  onTestFinished(drop);
  return url;
}

async function open(options: Parameters<typeof openPostgres>[0]): Promise<Database> {
  const db = await openPostgres(options);
  onTestFinished(async () => await db.close());
  return db;
}

const endedOf = async (judge: Database, ...names: string[]): Promise<string[]> => [
  ...(await judge.findEndedProcesses(names)),
];

describe.runIf(engines.includes("postgres"))("a process of a database on PostgreSQL", () => {
  test("has ended when its connections are closed, and not before", async () => {
    const url = await freshUrl();
    const [judge, other] = [await open({ url }), await open({ url })];
    expect(await endedOf(judge, judge.processName, other.processName)).toEqual([]);
    await other.close();
    const again = await open({ url });
    expect(await endedOf(judge, judge.processName, other.processName, again.processName)).toEqual([
      other.processName,
    ]);
  });

  test("has not ended as long as one of its connections is left", async () => {
    const url = await freshUrl();
    const judge = await open({ url });
    const name = lockedProcessName("two");
    const clients = [
      new pg.Client({ connectionString: url }),
      new pg.Client({ connectionString: url }),
    ] as const;
    for (const client of clients) {
      await client.connect();
      await holdProcessLock(client, name);
    }
    await clients[0].end();
    expect(await endedOf(judge, name)).toEqual([]);
    await clients[1].end();
    await expect.poll(async () => await endedOf(judge, name)).toEqual([name]);
  });

  test("has its lock again after it lost all connections", async () => {
    const url = await freshUrl();
    const proxy = await createCuttableProxy(url);
    onTestFinished(async () => await proxy.close());
    const [judge, other] = [await open({ url }), await open({ url: proxy.url })];
    await proxy.cut();
    await expect.poll(async () => await endedOf(judge, other.processName)).toEqual([other.processName]);
    await proxy.restore();
    await expect.poll(async () => await endedOf(judge, other.processName)).toEqual([]);
  });

  test("may run if the role may not see locks", async () => {
    const url = await freshUrl();
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    onTestFinished(async () => await client.end());
    const role = "pg_signal_backend";
    await client.query(`grant create on schema public to ${role}`);
    await client.query("revoke select on pg_locks from public");
    const limited = new URL(url);
    limited.searchParams.set("options", `-c role=${role}`);
    const judge = await open({ url: limited.href });
    expect(await endedOf(judge, lockedProcessName("other"))).toEqual([]);
  });

  test("may run if it has no lock: behind a pooler, or of an older version", async () => {
    const url = await freshUrl();
    const judge = await open({ url });
    const pooled = await open({ url, directUrl: url });
    await pooled.close();
    expect(await endedOf(judge, pooled.processName, "req_0abc", "nobody")).toEqual([]);
  });
});
