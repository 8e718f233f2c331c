import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";

/** The thread of `sqlite-aside.ts`: answers one read after another. */

export type Asked = { id: number; sql: string; parameters: SQLInputValue[] };
export type Answered =
  | { id: number; rows: unknown[] }
  | { id: number; message: string; fields: { errcode?: unknown; code?: unknown } };

/** 64 statements: searches differ in their parameters and hardly in their text. */
const statementsMax = 64;

const file = new DatabaseSync((workerData as { path: string }).path, { readOnly: true, timeout: 5_000 });
// 16 MiB (negative: KiB) of pages.
file.exec("pragma cache_size = -16384");
file.exec("pragma temp_store = memory");
const prepared = new Map<string, StatementSync>();

parentPort!.on("message", ({ id, sql, parameters }: Asked) => {
  let answered: Answered;
  try {
    answered = { id, rows: statementFor(sql).all(...parameters) };
  } catch (error) {
    const { message, errcode, code } = error as Error & { errcode?: unknown; code?: unknown };
    answered = { id, message, fields: { errcode, code } };
  }
  parentPort!.postMessage(answered);
});

function statementFor(sql: string): StatementSync {
  const known = prepared.get(sql);
  if (known !== undefined) return known;
  if (prepared.size >= statementsMax) prepared.clear();
  const statement = file.prepare(sql);
  prepared.set(sql, statement);
  return statement;
}
