import type { SQLInputValue } from "node:sqlite";
import { Worker } from "node:worker_threads";
import type { CompiledQuery, DatabaseConnection, QueryResult } from "kysely";
import { refuseTransaction } from "../read-only.ts";
import type { ReadResponse, ReadRequest } from "./read-worker-thread.ts";

type Waiting = { resolve: (rows: unknown[]) => void; reject: (error: unknown) => void };

/**
 * A connection in a worker thread, for reads that would block the event loop for too long. The thread starts at the first
 * read and does not keep the process alive. If it dies, the pending reads fail and the next read starts a new one.
 */
export class SqliteReadWorker implements DatabaseConnection {
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
    const request: ReadRequest = { id, sql, parameters: parameters as SQLInputValue[] };
    this.#worker.postMessage(request);
    return { rows: (await promise) as R[] };
  }

  // oxlint-disable-next-line require-yield -- it always throws.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error("Read in pages: an open stream would keep this connection on an old snapshot.");
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

  /** Waits for the read that is running; the reads queued behind it fail. */
  async close(): Promise<void> {
    this.#closed = true;
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(new URL("./read-worker-thread.ts", import.meta.url), {
      workerData: { path: this.#path },
      execArgv: [],
      env: {},
    });
    worker.on("message", (response: ReadResponse) => this.#receive(response));
    worker.on("error", (error) => this.#fail(worker, error));
    worker.on("exit", () => this.#fail(worker, new Error("The read worker has exited.")));
    return worker;
  }

  #receive(response: ReadResponse): void {
    const waiting = this.#waiting.get(response.id);
    this.#waiting.delete(response.id);
    if (this.#waiting.size === 0) this.#worker?.unref();
    if ("rows" in response) waiting?.resolve(response.rows);
    else waiting?.reject(this.#translate(Object.assign(new Error(response.message), response.fields)));
  }

  #fail(worker: Worker, error: unknown): void {
    if (this.#worker === worker) this.#worker = undefined;
    else if (!this.#closed) return;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(error);
  }
}
