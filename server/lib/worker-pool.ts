import { Worker } from "node:worker_threads";
import { unlessAborted } from "./unless-aborted.ts";

/** A thread apart, for work that strangers wrote or that may never end. It is given one task after another. */
export type Apart<Task, Told> = {
  /** Resolves with the last that the thread tells of the task. Throws `ApartError`, and the signal's reason. */
  run(task: Task, signal: AbortSignal): Promise<Told>;
  close(): Promise<void>;
};

/** A task and what is told of it, as they cross. A thread that has loaded what it needs may say that it begins. */
export type Numbered<Body> = { id: number; body: Body };
export type Begins = { id: number; begins: true };

/** Why nothing was told: too many wait, it is closed, the task's time was over, or the thread died of it. */
export class ApartError extends Error {
  override readonly name = "ApartError";
  readonly why: "busy" | "closed" | "late" | "died";
  constructor(why: ApartError["why"], options?: ErrorOptions) {
    super(why, options);
    this.why = why;
  }
}

export type ApartOptions = {
  program: URL;
  workerData?: unknown;
  heapMb: number;
  /** For one task, in milliseconds; where the thread says when it begins, from then on. */
  limitMs: number;
  /** Until it says that it begins. */
  startLimitMs?: number;
  /** How long a thread that has nothing to do is kept, in milliseconds. */
  idleMs: number;
  /** So many tasks may wait; each may take its whole time. */
  waitingMax: number;
  /** Called with what a thread died of. */
  died(error: unknown): void;
};

/**
 * The thread is made at the first task. It sees no environment, has a bounded heap, never keeps the process alive by
 * itself, and is ended when a task overruns its time or is aborted: what one task does there, no other one meets.
 */
export function createApart<Task, Told extends object>(options: ApartOptions): Apart<Task, Told> {
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
    worker.on("error", options.died);
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

  async function perform(task: Task, signal: AbortSignal): Promise<Told> {
    signal.throwIfAborted();
    clearTimeout(idle);
    const worker = (running ??= start());
    worker.ref();
    try {
      return await answerOf<Task, Told>(worker, { id: nextId++, body: task }, options, signal);
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
      if (closed) throw new ApartError("closed");
      if (waiting >= options.waitingMax) throw new ApartError("busy");
      waiting++;
      const mine = queue.then(async () => await perform(task, signal));
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

function answerOf<Task, Told extends object>(
  worker: Worker,
  task: Numbered<Task>,
  { limitMs, startLimitMs = limitMs }: ApartOptions,
  signal: AbortSignal,
): Promise<Told> {
  const { promise, resolve, reject } = Promise.withResolvers<Told>();
  const overrun = () => reject(new ApartError("late"));
  let timer = setTimeout(overrun, startLimitMs);
  const hear = (told: Numbered<Told> | Begins) => {
    if (told.id !== task.id) return;
    if ("body" in told) return resolve(told.body);
    clearTimeout(timer);
    timer = setTimeout(overrun, limitMs);
  };
  const fail = (cause: unknown) => reject(new ApartError("died", { cause }));
  const end = () => reject(signal.reason as Error);
  worker.on("message", hear).on("error", fail).on("exit", fail);
  signal.addEventListener("abort", end, { once: true });
  worker.postMessage(task);
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
    worker.off("message", hear).off("error", fail).off("exit", fail);
  });
}
