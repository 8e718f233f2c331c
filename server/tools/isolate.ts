import type { Json } from "#contract/json.ts";
import type { Logger } from "#server/lib/logger.ts";
import { ApartError, createApart } from "../lib/worker-pool.ts";
import type { Task, Told } from "./isolate-worker.ts";
import { ToolError } from "./tool.ts";

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
const waitingMax = 200;
const heapMb = 128;

const words: Record<ApartError["why"], string> = {
  busy: "Too much is being worked out right now. Try again in a moment.",
  closed: "The server is stopping.",
  late: "This takes too long. Ask for something smaller.",
  // Out of memory, or a fault of ours; the log has it.
  died: "This is more than can be worked out here. Ask for something smaller.",
};

export function createIsolate({ logger, ...options }: IsolateOptions): Isolate {
  const apart = createApart<Task, Told>({
    program: new URL("./isolate-worker.ts", import.meta.url),
    heapMb,
    limitMs: options.timeLimitMs ?? timeLimitMs,
    startLimitMs,
    idleMs: options.idleMs ?? idleMs,
    waitingMax,
    died: (error) =>
      logger.warn({ err: error }, "the tools' worker failed and is made anew at the next call"),
  });
  return {
    async run(task, signal) {
      const told = await apart.run(task, signal).catch((error: unknown) => {
        throw error instanceof ApartError ? new ToolError(words[error.why], { cause: error }) : error;
      });
      if ("says" in told) throw new ToolError(told.says);
      return told.result;
    },
    close: apart.close,
  };
}
