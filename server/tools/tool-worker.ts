import type { Json } from "#contract/json.ts";
import type { Logger } from "#server/lib/logger.ts";
import { WorkerError, createIsolatedWorker } from "../lib/isolated-worker.ts";
import type { Task, TaskResult } from "./tool-worker-thread.ts";
import { ToolError } from "./tool.ts";

export type ToolWorkerOptions = {
  logger: Pick<Logger, "warn">;
  /** How long one task may take, in milliseconds, after the worker has loaded its engine. */
  timeLimitMs?: number;
  /** How long an idle worker is kept, in milliseconds. */
  idleMs?: number;
};

/** Runs tasks with untrusted input in a worker thread, one after another. */
export type ToolWorker = {
  /** Throws `ToolError` if the task fails or takes too long, and the signal's reason on abort. */
  run(task: Task, signal: AbortSignal): Promise<Json>;
  close(): Promise<void>;
};

const timeLimitMs = 2_000;
/** Starting and loading takes 0.3 s, and longer on a busy machine. */
const startLimitMs = 15_000;
const idleMs = 5 * 60_000;
const waitingMax = 200;
const heapMb = 128;

const errorMessages: Record<WorkerError["why"], string> = {
  busy: "Too many tools are running. Try again in a moment.",
  closed: "The server is stopping.",
  late: "This takes too long. Try something smaller.",
  // Out of memory, or a bug. The log has the error.
  died: "This needs too much memory. Try something smaller.",
};

export function createToolWorker({ logger, ...options }: ToolWorkerOptions): ToolWorker {
  const worker = createIsolatedWorker<Task, TaskResult>({
    program: new URL("./tool-worker-thread.ts", import.meta.url),
    heapMb,
    limitMs: options.timeLimitMs ?? timeLimitMs,
    startLimitMs,
    idleMs: options.idleMs ?? idleMs,
    waitingMax,
    onDied: (error) => logger.warn({ err: error }, "the tools' worker failed and restarts at the next call"),
  });
  return {
    async run(task, signal) {
      const result = await worker.run(task, signal).catch((error: unknown) => {
        throw error instanceof WorkerError
          ? new ToolError(errorMessages[error.why], { cause: error })
          : error;
      });
      if ("error" in result) throw new ToolError(result.error);
      return result.result;
    },
    close: worker.close,
  };
}
