import pg from "pg";
import { beforeEach, describe, expect, test } from "vitest";
import { engines, freshDatabaseUrl } from "./postgres.ts";

describe("a fresh database", () => {
  beforeEach(({ skip }) => skip(!engines.includes("postgres"), "PARLANCE_TEST_POSTGRES is off"));

  test("is empty and separate from others", async () => {
    const [ada, ben] = [await freshDatabaseUrl(), await freshDatabaseUrl()];
    try {
      await ask(ada.url, "create table threads (id text)");
      expect(await ask(ben.url, "select count(*) from pg_tables where tablename = 'threads'")).toEqual([
        { count: "0" },
      ]);
    } finally {
      await ada.drop();
      await ben.drop();
    }
  });

  test("sorts by language, so that a missing collation is noticed", async () => {
    const { url, drop } = await freshDatabaseUrl();
    try {
      const rows = await ask(
        url,
        "select word from (values ('b'), ('B'), ('a')) as words (word) order by word",
      );
      expect(rows.map(({ word }) => word)).toEqual(["a", "b", "B"]);
    } finally {
      await drop();
    }
  });

  test("is dropped while a client is still connected", async () => {
    const { url, drop } = await freshDatabaseUrl();
    const client = new pg.Client({ connectionString: url });
    client.on("error", () => {});
    await client.connect();
    await drop();
    await expect(ask(url, "select 1")).rejects.toThrow("does not exist");
  });
});

async function ask(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(statement);
    return rows;
  } finally {
    await client.end();
  }
}
