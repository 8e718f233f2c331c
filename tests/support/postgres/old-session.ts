import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type pg from "pg";

/** SQLSTATE, from appendix A of PostgreSQL's manual. */
const deadlockDetected = "40P01";

/** A statement with its values, and the number of rows that it returned or changed. */
export type Statement = [text: string, values: unknown[], rowCount: number | null];

/** The transactions of a process, in the order of their commits. */
export type Session = Statement[][];

/** The session that `record-session.ts` stored in the folder of a fixture. */
export async function readSession(fixture: string): Promise<Session> {
  return JSON.parse(gunzipSync(await readFile(join(fixture, "session.json.gz"))).toString()) as Session;
}

/**
 * Executes the transactions again, and repeats one that deadlocks, as a server does. Throws if a statement fails or
 * returns another number of rows.
 */
export async function replay(client: pg.Client, session: Session): Promise<void> {
  for (const statements of session) while (!(await commits(client, statements)));
}

/** Whether the transaction was committed: it was not if it deadlocked. */
async function commits(client: pg.Client, statements: Statement[]): Promise<boolean> {
  await client.query("begin");
  for (const [text, values, expected] of statements) {
    const { rowCount } = await client.query(text, values).catch((error: unknown) => {
      if ((error as pg.DatabaseError).code !== deadlockDetected) throw error;
      return { rowCount: undefined };
    });
    if (rowCount === undefined) {
      await client.query("rollback");
      return false;
    }
    if (rowCount !== expected)
      throw new Error(`${rowCount} rows instead of ${expected} for: ${text} ${JSON.stringify(values)}`);
  }
  await client.query("commit");
  return true;
}
