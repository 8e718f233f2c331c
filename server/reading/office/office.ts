import { Worker } from "node:worker_threads";
import type { Logger } from "#server/logger.ts";
import type { OfficeBounds, OfficeText } from "./engine.ts";
import { FaultError } from "./fault.ts";
import type { Told } from "./worker.ts";

export type { OfficeText } from "./engine.ts";

/** Reads office documents in a thread apart, one after another. */
export type Office = {
  /** Its text. Throws `FaultError`, and the signal's reason. */
  read(bytes: Uint8Array, signal: AbortSignal): Promise<OfficeText>;
  close(): Promise<void>;
};

export type OfficeOptions = {
  logger: Pick<Logger, "warn">;
  /** For one document, in milliseconds. */
  timeMs: number;
  /** How long a thread that has nothing to do is kept, in milliseconds. */
  idleMs?: number;
} & OfficeBounds;

const idleMs = 60_000;
/** So many may wait; whoever comes then is told that it cannot be read at the moment. */
const waitingMax = 50;

/**
 * The thread has no environment, a bounded heap, and is ended when a document takes too long or too much: what a hostile
 * document does there, no other one meets.
 */
export function createOffice(options: OfficeOptions): Office {
  let running: Worker | undefined;
  let queue: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  let nextId = 1;
  let idle: NodeJS.Timeout | undefined;
  let closed = false;

  function start(): Worker {
    const { unpackedBytesMax, charactersMax } = options;
    const worker = new Worker(new URL("./worker.ts", import.meta.url), {
      env: {},
      execArgv: [],
      stdin: false,
      workerData: { unpackedBytesMax, charactersMax } satisfies OfficeBounds,
      resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
    });
    worker.unref();
    worker.on("error", (error) => options.logger.warn({ err: error }, "a document was too much to read"));
    worker.once("exit", () => {
      if (running === worker) running = undefined;
    });
    return worker;
  }

  async function stop(): Promise<void> {
    const worker = running;
    running = undefined;
    await worker?.terminate();
  }

  async function perform(bytes: Uint8Array, signal: AbortSignal): Promise<OfficeText> {
    clearTimeout(idle);
    const worker = (running ??= start());
    try {
      return await answerOf(
        worker,
        nextId++,
        bytes,
        AbortSignal.any([signal, AbortSignal.timeout(options.timeMs)]),
      );
    } catch (error) {
      if (error instanceof FaultError) throw error;
      await stop();
      signal.throwIfAborted();
      throw new FaultError("too-large", { cause: error });
    } finally {
      idle = setTimeout(() => void stop(), options.idleMs ?? idleMs);
      idle.unref();
    }
  }

  return {
    async read(bytes, signal) {
      signal.throwIfAborted();
      if (closed || waiting >= waitingMax) throw new FaultError("away");
      waiting++;
      const mine = queue.then(async () => {
        signal.throwIfAborted();
        return await perform(bytes, signal);
      });
      queue = mine.then(
        () => waiting--,
        () => waiting--,
      );
      return await mine;
    },
    async close() {
      closed = true;
      clearTimeout(idle);
      await stop();
    },
  };
}

function answerOf(worker: Worker, id: number, bytes: Uint8Array, signal: AbortSignal): Promise<OfficeText> {
  const { promise, resolve, reject } = Promise.withResolvers<OfficeText>();
  const hear = (told: Told) => {
    if (told.id !== id) return;
    if ("reason" in told) reject(new FaultError(told.reason, { cause: told.cause }));
    else resolve({ text: told.text, isCut: told.isCut });
  };
  const fail = (error: unknown) => reject(error instanceof Error ? error : new Error("the thread ended"));
  const end = () => reject(signal.reason as Error);
  worker.on("message", hear).on("error", fail).on("exit", fail);
  signal.addEventListener("abort", end, { once: true });
  worker.postMessage({ id, bytes });
  return promise.finally(() => {
    signal.removeEventListener("abort", end);
    worker.off("message", hear).off("error", fail).off("exit", fail);
  });
}
