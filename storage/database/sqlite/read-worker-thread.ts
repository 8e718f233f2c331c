import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";

/** The worker thread of `read-worker.ts`. It executes one read at a time. */

export type ReadRequest = { id: number; sql: string; parameters: SQLInputValue[] };
export type ReadResponse =
  | { id: number; rows: unknown[] }
  | { id: number; message: string; fields: { errcode?: unknown; code?: unknown } };

/** 64 statements: searches differ in their parameters and rarely in their SQL. */
const statementsMax = 64;

const file = new DatabaseSync((workerData as { path: string }).path, { readOnly: true, timeout: 5_000 });
// 16 MiB of pages (negative values are KiB).
file.exec("pragma cache_size = -16384");
file.exec("pragma temp_store = memory");
const prepared = new Map<string, StatementSync>();

parentPort!.on("message", ({ id, sql, parameters }: ReadRequest) => {
  let response: ReadResponse;
  try {
    response = { id, rows: statementFor(sql).all(...parameters) };
  } catch (error) {
    const { message, errcode, code } = error as Error & { errcode?: unknown; code?: unknown };
    response = { id, message, fields: { errcode, code } };
  }
  parentPort!.postMessage(response);
});

function statementFor(sql: string): StatementSync {
  const known = prepared.get(sql);
  if (known !== undefined) return known;
  if (prepared.size >= statementsMax) prepared.clear();
  const statement = file.prepare(sql);
  prepared.set(sql, statement);
  return statement;
}
