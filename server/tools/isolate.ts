import { Worker } from "node:worker_threads";
import type { Json } from "#contract/json.ts";
import type { Logger } from "#server/logger.ts";
import { ToolError } from "./tool.ts";
import type { Task, Told } from "./isolate-worker.ts";

export type IsolateOptions = {
  logger: Pick<Logger, "warn">;
  /** How long one task may take, in milliseconds, once its worker has loaded what it needs. */
  timeLimitMs?: number;
  /** How long an idle worker is kept, in milliseconds. */
  idleMs?: number;
};

/** A place apart where tasks that strangers wrote are carried out, one after another. */
export type Isolate = {
  /** Throws `ToolError` when the task cannot be done or takes too long, the signal's reason when it aborts. */
  run(task: Task, signal: AbortSignal): Promise<Json>;
  close(): Promise<void>;
};

const timeLimitMs = 2_000;
/** Starting and loading takes 0.3 s; on a machine that is busy with everything else, longer. */
const startLimitMs = 15_000;
const idleMs = 5 * 60_000;
/** So many may wait; each may take its whole time. */
const waitingMax = 200;

/**
 * A worker thread with bounded memory, made at the first task, ended when it overruns its time and let go after idle
 * minutes. It sees no environment and never keeps the process alive by itself.
 */
export function createIsolate({ logger, ...options }: IsolateOptions): Isolate {
  let running: Worker | undefined;
  let queue: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  let nextId = 1;
  let idle: NodeJS.Timeout | undefined;
  let closed = false;

  function start(): Worker {
    const worker = new Worker(new URL("./isolate-worker.ts", import.meta.url), {
      env: {},
      execArgv: [],
      stdin: false,
      resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
    });
    worker.on("error", (error) => {
      logger.warn({ err: error }, "the tools' worker failed and is made anew at the next call");
    });
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

  async function perform(task: Task): Promise<Json> {
    clearTimeout(idle);
    const worker = (running ??= start());
    worker.ref();
    try {
      return await answerOf(worker, nextId++, task, options.timeLimitMs ?? timeLimitMs);
    } catch (error) {
      if (error instanceof ToolError) throw error;
      await stop();
      if (error instanceof TimeLimitError)
        throw new ToolError("This takes too long. Ask for something smaller.");
      // Out of memory, or a fault of ours; the log has it.
      throw new ToolError("This is more than can be worked out here. Ask for something smaller.", {
        cause: error,
      });
    } finally {
      running?.unref();
      idle = setTimeout(() => void stop(), options.idleMs ?? idleMs);
      idle.unref();
    }
  }

  return {
    async run(task, signal) {
      signal.throwIfAborted();
      if (closed) throw new ToolError("The server is stopping.");
      if (waiting >= waitingMax)
        throw new ToolError("Too much is being worked out right now. Try again in a moment.");
      waiting++;
      const mine = queue.then(() => {
        signal.throwIfAborted();
        return perform(task);
      });
      queue = mine.then(
        () => waiting--,
        () => waiting--,
      );
      return await unlessAborted(mine, signal);
    },
    async close() {
      closed = true;
      clearTimeout(idle);
      await stop();
    },
  };
}

class TimeLimitError extends Error {}

function answerOf(worker: Worker, id: number, task: Task, limitMs: number): Promise<Json> {
  const { promise, resolve, reject } = Promise.withResolvers<Json>();
  const overrun = () => reject(new TimeLimitError());
  let timer = setTimeout(overrun, startLimitMs);
  const hear = (told: Told) => {
    if (told.id !== id) return;
    if ("result" in told) resolve(told.result);
    else if ("says" in told) reject(new ToolError(told.says));
    else {
      clearTimeout(timer);
      timer = setTimeout(overrun, limitMs);
    }
  };
  const fail = (error: unknown) => reject(error instanceof Error ? error : new Error("the worker ended"));
  worker.on("message", hear);
  worker.on("error", fail);
  worker.on("exit", fail);
  worker.postMessage({ id, task });
  return promise.finally(() => {
    clearTimeout(timer);
    worker.off("message", hear);
    worker.off("error", fail);
    worker.off("exit", fail);
  });
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const stop = () => reject(signal.reason as Error);
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
