import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { postgresTypes } from "#storage/database/postgres/types.ts";
import type { ServerPlace } from "../servers/server.ts";

type SqlRow = Record<string, string | number | null>;

/** Runs SQL on the database of a place, even while a server uses it. */
export async function rawSql<T>(
  place: Pick<ServerPlace, "dataDir" | "databaseUrl">,
  work: (run: (statement: string) => Promise<SqlRow[]>) => Promise<T>,
): Promise<T> {
  if (place.databaseUrl !== undefined) {
    const client = new pg.Client({ connectionString: place.databaseUrl, types: postgresTypes });
    await client.connect();
    try {
      return await work(async (statement) => (await client.query<SqlRow>(statement)).rows);
    } finally {
      await client.end();
    }
  }
  const file = new DatabaseSync(join(place.dataDir, "parlance.db"), { timeout: 5_000 });
  // Tests create states that foreign keys would refuse.
  file.exec("pragma foreign_keys = off");
  try {
    return await work((statement) => Promise.resolve(file.prepare(statement).all() as SqlRow[]));
  } finally {
    file.close();
  }
}
