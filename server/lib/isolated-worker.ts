import { Worker } from "node:worker_threads";
import { unlessAborted } from "./unless-aborted.ts";

/** A worker thread for untrusted code, or for work that may never end. It executes one task after another. */
export type IsolatedWorker<Task, Result> = {
  /** Executes a task. Throws `WorkerError`, and the reason of the signal. */
  run(task: Task, signal: AbortSignal): Promise<Result>;
  close(): Promise<void>;
};

/**
 * A task or its result. With `StartedMessage`, a worker reports that its modules are loaded and that the task starts.
 */
export type WorkerMessage<Body> = { id: number; body: Body };
export type StartedMessage = { id: number; begins: true };

/** Why there is no result: too many tasks wait, the worker is closed, the task timed out, or the thread died. */
export class WorkerError extends Error {
  override readonly name = "WorkerError";
  readonly why: "busy" | "closed" | "late" | "died";
  constructor(why: WorkerError["why"], options?: ErrorOptions) {
    super(why, options);
    this.why = why;
  }
}

export type WorkerOptions = {
  program: URL;
  workerData?: unknown;
  heapMb: number;
  /** The time limit of a task, in milliseconds, counted from the thread's `StartedMessage` if it sends one. */
  limitMs: number;
  /** The time limit until the `StartedMessage`. */
  startLimitMs?: number;
  /** After this idle time the thread ends, in milliseconds. */
  idleMs: number;
  /** The most tasks that can wait. */
  waitingMax: number;
  /** Called when a thread dies with an error. */
  onDied(error: unknown): void;
};

/**
 * The thread starts with the first task. It has no environment variables and a limited heap, and does not keep the
 * process alive. It is terminated when a task fails, times out or is aborted, so that tasks cannot affect later ones.
 */
export function createIsolatedWorker<Task, Result extends object>(
  options: WorkerOptions,
): IsolatedWorker<Task, Result> {
  let running: Worker | undefined;
  let queue: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  let nextId = 1;
  let idle: NodeJS.Timeout | undefined;
  let closed = false;

  function start(): Worker {
    const worker = new Worker(options.program, {
      env: {},
      execArgv: [],
      stdin: false,
      workerData: options.workerData,
      resourceLimits: {
        maxOldGenerationSizeMb: options.heapMb,
        maxYoungGenerationSizeMb: 32,
        stackSizeMb: 4,
      },
    });
    worker.on("error", options.onDied);
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

  async function perform(task: Task, signal: AbortSignal): Promise<Result> {
    signal.throwIfAborted();
    clearTimeout(idle);
    const worker = (running ??= start());
    worker.ref();
    try {
      return await executeTask<Task, Result>(worker, { id: nextId++, body: task }, options, signal);
    } catch (error) {
      await stop();
      throw error;
    } finally {
      running?.unref();
      idle = setTimeout(() => void stop(), options.idleMs);
      idle.unref();
    }
  }

  return {
    async run(task, signal) {
      signal.throwIfAborted();
      if (closed) throw new WorkerError("closed");
      if (waiting >= options.waitingMax) throw new WorkerError("busy");
      waiting++;
      const result = queue.then(async () => await perform(task, signal));
      queue = result.then(
        () => waiting--,
        () => waiting--,
      );
      return await unlessAborted(result, signal);
    },
    async close() {
      closed = true;
      clearTimeout(idle);
      await stop();
    },
  };
}

function executeTask<Task, Result extends object>(
  worker: Worker,
  task: WorkerMessage<Task>,
  { limitMs, startLimitMs = limitMs }: WorkerOptions,
  signal: AbortSignal,
): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const onTimeout = () => reject(new WorkerError("late"));
  let timer = setTimeout(onTimeout, startLimitMs);
  const onMessage = (message: WorkerMessage<Result> | StartedMessage) => {
    if (message.id !== task.id) return;
    if ("body" in message) return resolve(message.body);
    clearTimeout(timer);
    timer = setTimeout(onTimeout, limitMs);
  };
  const onDeath = (cause: unknown) => reject(new WorkerError("died", { cause }));
  const onAbort = () => reject(signal.reason as Error);
  worker.on("message", onMessage).on("error", onDeath).on("exit", onDeath);
  signal.addEventListener("abort", onAbort, { once: true });
  worker.postMessage(task);
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
    worker.off("message", onMessage).off("error", onDeath).off("exit", onDeath);
  });
}
