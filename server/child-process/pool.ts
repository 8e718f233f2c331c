import { createSemaphore } from "../lib/concurrency/semaphore.ts";
import { ProcessError, startProcess, type ProcessOptions, type TaskProcess } from "./process.ts";

/**
 * Confined child processes that run tasks on untrusted input. Each process runs one task at a time; processes start
 * when they are needed and are killed when they have been idle for a while.
 */
export type ProcessPool<Task, Message> = {
  /**
   * Runs a task and yields its messages in order. While the caller works on one, the next ones wait. The process is
   * killed if the caller stops before the last message, the signal aborts, or the task exceeds its time limit. Throws
   * `ProcessError` and the signal's reason.
   */
  run(task: Task, signal: AbortSignal): AsyncGenerator<Message>;
  /** Kills every process. */
  close(): void;
};

export type ProcessPoolOptions = ProcessOptions & {
  /** How many tasks run at once. */
  processes: number;
  /** How many tasks may wait for a process. */
  waitingMax: number;
  /** How long an idle process is kept, in milliseconds. */
  idleMs?: number;
};

export function createProcessPool<Task, Message>(options: ProcessPoolOptions): ProcessPool<Task, Message> {
  const { processes, waitingMax, idleMs = 60_000 } = options;
  const idle: { process: TaskProcess<Task, Message>; timer: NodeJS.Timeout }[] = [];
  const busy = new Set<TaskProcess<Task, Message>>();
  const slots = createSemaphore({ max: processes, waitingMax, fullError: () => new ProcessError("busy") });
  let isClosed = false;

  function takeProcess(): TaskProcess<Task, Message> {
    for (let last = idle.pop(); last !== undefined; last = idle.pop()) {
      clearTimeout(last.timer);
      if (last.process.isUsable()) return last.process;
    }
    return startProcess(options);
  }

  function returnProcess(process: TaskProcess<Task, Message>): void {
    if (!process.isUsable()) return;
    const timer = setTimeout(() => {
      idle.splice(
        idle.findIndex((entry) => entry.process === process),
        1,
      );
      process.kill();
    }, idleMs);
    timer.unref();
    idle.push({ process, timer });
  }

  return {
    async *run(task, signal) {
      await slots.acquire(signal);
      try {
        signal.throwIfAborted();
        if (isClosed) throw new ProcessError("closed");
        const process = takeProcess();
        busy.add(process);
        try {
          yield* process.run(task, signal);
        } finally {
          busy.delete(process);
          returnProcess(process);
        }
      } finally {
        slots.release();
      }
    },
    close() {
      isClosed = true;
      for (const { process, timer } of idle.splice(0)) {
        clearTimeout(timer);
        process.kill();
      }
      for (const process of busy) process.kill();
    },
  };
}
