import pg from "pg";
import { beforeEach, describe, expect, test } from "vitest";
import { engines, freshDatabaseUrl } from "./postgres.ts";

describe("a fresh database", () => {
  beforeEach(({ skip }) => skip(!engines.includes("postgres"), "the quick half does without PostgreSQL"));

  test("is empty, and its own", async () => {
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

  test("sorts as a person would, so that what has to be bytewise must say so", async () => {
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

  test("goes although somebody is still connected", async () => {
    const { url, drop } = await freshDatabaseUrl();
    const forgotten = new pg.Client({ connectionString: url });
    forgotten.on("error", () => {});
    await forgotten.connect();
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
