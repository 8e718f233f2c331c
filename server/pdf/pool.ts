import { AppError } from "#server/lib/errors.ts";
import { startPdfProcess, type Hear, type PdfProcess, type ProcessOptions } from "./process.ts";
import type { Task } from "./told.ts";

export type PoolOptions = ProcessOptions & {
  /** How many documents are read at once. */
  processes: number;
  /** How long a process that has nothing to do is kept, in milliseconds. */
  idleMs?: number;
  /** How many documents may wait for their turn. */
  waitingMax?: number;
};

/** Processes that read PDFs: as many as are needed, up to a bound, and after idle minutes none. */
export type PdfPool = {
  /**
   * Reads a document when its turn comes. Throws what is wrong with it, `too-many-pdfs` where too many wait already,
   * `maintenance` while the server goes down, and the signal's reason when it aborts. Nothing that a document does
   * harms the next one.
   */
  read(task: Task, hear: Hear, signal: AbortSignal): Promise<void>;
  close(): void;
};

const idleMs = 60_000;
const waitingMax = 32;
const retryAfterSeconds = 5;

export function createPdfPool(options: PoolOptions): PdfPool {
  const idle: { process: PdfProcess; timer: NodeJS.Timeout }[] = [];
  const busy = new Set<PdfProcess>();
  const waiting: (() => void)[] = [];
  let closed = false;

  async function turn(signal: AbortSignal): Promise<void> {
    if (busy.size < options.processes && waiting.length === 0) return;
    if (waiting.length >= (options.waitingMax ?? waitingMax))
      throw new AppError("too-many-pdfs", { retryAfterSeconds });
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = () => {
      waiting.splice(waiting.indexOf(resolve), 1);
      reject(signal.reason as Error);
    };
    waiting.push(resolve);
    signal.addEventListener("abort", leave, { once: true });
    await promise.finally(() => signal.removeEventListener("abort", leave));
  }

  /** The one that was busy last is the warmest. */
  function take(): PdfProcess {
    for (;;) {
      const last = idle.pop();
      if (last === undefined) return startPdfProcess(options);
      clearTimeout(last.timer);
      if (last.process.usable()) return last.process;
    }
  }

  function giveBack(process: PdfProcess): void {
    busy.delete(process);
    if (process.usable() && !closed) {
      const timer = setTimeout(() => {
        idle.splice(
          idle.findIndex((entry) => entry.process === process),
          1,
        );
        process.kill();
      }, options.idleMs ?? idleMs);
      timer.unref();
      idle.push({ process, timer });
    }
    waiting.shift()?.();
  }

  return {
    async read(task, hear, signal) {
      signal.throwIfAborted();
      await turn(signal);
      if (closed) throw new AppError("maintenance");
      const process = take();
      busy.add(process);
      try {
        await process.read(task, hear, signal);
      } finally {
        giveBack(process);
      }
    },
    close() {
      closed = true;
      for (const { process, timer } of idle.splice(0)) {
        clearTimeout(timer);
        process.kill();
      }
      for (const process of busy) process.kill();
      for (const go of waiting.splice(0)) go();
    },
  };
}
