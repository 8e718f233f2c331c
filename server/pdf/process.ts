import { fork, type ChildProcess } from "node:child_process";
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "#server/lib/errors.ts";
import type { Logger } from "#server/lib/logger.ts";
import type { Said, Task, Told } from "./told.ts";

export type ProcessOptions = {
  logger: Pick<Logger, "warn">;
  /** For one document, in milliseconds, all its pages together. */
  timeMs: number;
  /** What the process may hold, in bytes. */
  memoryBytesMax: number;
};

/** Hears what is told of a document, one thing after another. What it throws ends the reading. */
export type Hear = (told: Told) => Promise<void>;

/** A process that reads one document at a time. */
export type PdfProcess = {
  /**
   * Reads a document, and tells of it as it goes. Throws the catalogue's error where it cannot be read, and the
   * signal's reason when it aborts; the process is at its end then, or `usable` says that it is not.
   */
  read(task: Task, hear: Hear, signal: AbortSignal): Promise<void>;
  usable(): boolean;
  kill(): void;
};

/** Starting takes half a second; on a machine that is busy with everything else, longer. */
const startMs = 60_000;
/** After so much a process is made anew: what was freed is not always given back. */
const spentBytes = 256 * 1024 * 1024;
const retryAfterSeconds = 5;
const heapMegabytes = 256;
const lastWordsCharacters = 2_000;

const root = join(import.meta.dirname, "..", "..");

/** Starts one. It gets no environment, and may read the code that it runs and nothing else. */
export function startPdfProcess({ logger, timeMs, memoryBytesMax }: ProcessOptions): PdfProcess {
  const child = fork(join(import.meta.dirname, "child", "main.ts"), [String(memoryBytesMax)], {
    execArgv: [...confinement("server/pdf"), `--max-old-space-size=${heapMegabytes}`],
    env: {},
    serialization: "advanced",
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  let usable = true;
  let ended: string | undefined;
  let lastWords = "";
  child.stderr?.on("data", (bytes: Buffer) => {
    lastWords = (lastWords + bytes.toString()).slice(-lastWordsCharacters);
  });
  const ready = heard(child, startMs, (told) => told.kind === "ready");
  ready.catch(() => {});
  child.once("exit", (code, signal) => {
    usable = false;
    ended ??= signal ?? `exit ${code}`;
  });
  // Written to when it has just ended; the exit is what counts.
  child.on("error", () => {});
  keepNothingAlive(child);

  function kill(why = "killed"): void {
    usable = false;
    ended ??= why;
    child.kill("SIGKILL");
  }

  async function read(task: Task, hear: Hear, signal: AbortSignal): Promise<void> {
    const stop = () => kill("aborted");
    signal.addEventListener("abort", stop, { once: true });
    try {
      signal.throwIfAborted();
      await ready.catch((error: unknown) => {
        if (error instanceof TimeLimitError)
          throw new AppError("maintenance", { retryAfterSeconds, cause: error });
        throw error;
      });
      const taking = Promise.withResolvers<never>();
      let taken: Promise<unknown> = Promise.resolve();
      const done = heard(child, timeMs, (told) => {
        taken = taken.then(async () => {
          await hear(told);
          if (told.kind === "page") say({ kind: "taken" });
        });
        taken.catch(taking.reject);
        return told.kind === "done" || told.kind === "failed";
      });
      say({ kind: "task", task });
      const last = await Promise.race([done, taking.promise]);
      await taken;
      if (last.kind === "failed") {
        if (last.spent) {
          logger.warn({ code: last.code, cause: last.cause }, "a document broke what read it");
          kill();
        }
        throw new AppError(last.code);
      }
      if (last.kind === "done" && last.memoryBytes > spentBytes) kill();
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof AppError) throw error;
      if (usable && !(error instanceof TimeLimitError)) {
        // What it told could not be kept, which is no fault of the document.
        kill();
        throw error;
      }
      if (error instanceof TimeLimitError) {
        kill();
        throw new AppError("pdf-too-long");
      }
      throw fallen(error);
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  function say(said: Said): void {
    child.send(said, () => {});
  }

  /** The process ended by itself: by its own watch over its memory, by V8's, or by a fault that nobody foresaw. */
  function fallen(cause: unknown): AppError {
    kill();
    logger.warn({ ended, lastWords }, "a process that reads PDFs ended");
    if (ended === "closing") return new AppError("maintenance");
    if (ended === "SIGKILL" || ended === "SIGABRT") return new AppError("pdf-too-complex");
    return new AppError("pdf-unreadable", { cause });
  }

  return { read, usable: () => usable, kill: () => kill("closing") };
}

/** Why a document was not read to its end, where its bytes did not say so. */
export class ProcessEndedError extends Error {}

class TimeLimitError extends Error {}

/** The first word that `last` recognizes, in its time; throws when the process ends before. */
async function heard(child: ChildProcess, limitMs: number, last: (told: Told) => boolean): Promise<Told> {
  const { promise, resolve, reject } = Promise.withResolvers<Told>();
  const timer = setTimeout(() => reject(new TimeLimitError(`${limitMs} ms are over`)), limitMs);
  const hear = (told: Told) => {
    if (last(told)) resolve(told);
  };
  const ended = () => reject(new ProcessEndedError("the process ended"));
  child.on("message", hear).once("exit", ended).once("error", ended);
  if (child.exitCode !== null || child.signalCode !== null) ended();
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    child.off("message", hear).off("exit", ended).off("error", ended);
  }
}

/** Node's own walls: no file but the code in `room`, no other process, and where Node has a wall for it, no network. */
export function confinement(room: string): string[] {
  const readable = ["package.json", "node_modules", room, "server/package.json"].map((path) =>
    join(root, path),
  );
  return [
    "--permission",
    ...readable.map((path) => `--allow-fs-read=${path}`),
    `--allow-fs-read=${realpathOf(join(root, "node_modules"))}`,
    "--allow-addons",
    "--allow-worker",
    "--disable-warning=SecurityWarning",
    "--disable-warning=ExperimentalWarning",
  ];
}

function realpathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** A server that has nothing else to do may end. */
function keepNothingAlive(child: ChildProcess): void {
  child.unref();
  child.channel?.unref();
  (child.stderr as unknown as { unref?(): void } | null)?.unref?.();
}
