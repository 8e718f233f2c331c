import type { SQLInputValue } from "node:sqlite";
import { Worker } from "node:worker_threads";
import type { CompiledQuery, DatabaseConnection, QueryResult } from "kysely";
import { refuseTransaction } from "./read-only.ts";
import type { Answered, Asked } from "./sqlite-aside-worker.ts";

type Waiting = { resolve: (rows: unknown[]) => void; reject: (error: unknown) => void };

/**
 * A connection of its own in a thread of its own, for reads that take longer than a stream should stand still. The
 * thread is made at the first read and does not keep the process alive; one that dies fails what it was asked and is
 * made anew.
 */
export class SqliteAside implements DatabaseConnection {
  readonly #path: string;
  readonly #translate: (error: unknown) => unknown;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #nextId = 1;
  #closed = false;

  constructor(path: string, translate: (error: unknown) => unknown) {
    this.#path = path;
    this.#translate = translate;
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#closed) throw new Error("The database is closed.");
    this.#worker ??= this.#start();
    const id = this.#nextId++;
    const { promise, resolve, reject } = Promise.withResolvers<unknown[]>();
    this.#waiting.set(id, { resolve, reject });
    this.#worker.ref();
    const asked: Asked = { id, sql, parameters: parameters as SQLInputValue[] };
    this.#worker.postMessage(asked);
    return { rows: (await promise) as R[] };
  }

  // oxlint-disable-next-line require-yield -- it has nothing to give.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error("Read in pages: an open stream would hold back what this connection sees.");
  }

  begin(): void {
    refuseTransaction();
  }

  commit(): void {
    refuseTransaction();
  }

  rollback(): void {
    refuseTransaction();
  }

  /** Waits for the read under way; what stands behind it fails. */
  async close(): Promise<void> {
    this.#closed = true;
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(new URL("./sqlite-aside-worker.ts", import.meta.url), {
      workerData: { path: this.#path },
      execArgv: [],
      env: {},
    });
    worker.on("message", (answered: Answered) => this.#hear(answered));
    worker.on("error", (error) => this.#fail(worker, error));
    worker.on("exit", () => this.#fail(worker, new Error("The thread for long reads has ended.")));
    return worker;
  }

  #hear(answered: Answered): void {
    const waiting = this.#waiting.get(answered.id);
    this.#waiting.delete(answered.id);
    if (this.#waiting.size === 0) this.#worker?.unref();
    if ("rows" in answered) waiting?.resolve(answered.rows);
    else waiting?.reject(this.#translate(Object.assign(new Error(answered.message), answered.fields)));
  }

  #fail(worker: Worker, error: unknown): void {
    if (this.#worker === worker) this.#worker = undefined;
    else if (!this.#closed) return;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(error);
  }
}
