import { fork, type ChildProcess } from "node:child_process";
import { on } from "node:events";
import type { Logger } from "../lib/logger.ts";
import type { FromChild, ToChild } from "./process-messages.ts";
import { realpathSync, writeFile } from "node:fs";
import { basename, dirname, join } from "node:path";

export type ProcessOptions = {
  logger: Pick<Logger, "warn">;
  /** The path of the program that the process runs. */
  program: string;
  /** The folder that the process may read, from the app's root. */
  folder: string;
  /** The absolute paths of other files that it may read. */
  readable?: readonly string[];
  /** Limit for one task, in milliseconds. Starting the process does not count. */
  timeMs: number;
  memoryBytesMax: number;
};

/** A child process that runs one task at a time. */
export type TaskProcess<Task, Message> = {
  /** See `ProcessPool.run`. */
  run(task: Task, signal: AbortSignal): AsyncGenerator<Message>;
  isUsable(): boolean;
  kill(): void;
};

/**
 * Why a task has no result. `busy`: too many tasks wait. `closed`: the pool is closed. `slow-start`: the process did
 * not become ready. `timeout`, `out-of-memory`: the task exceeded its limit. `died`: the process ended by itself.
 */
export class ProcessError extends Error {
  override readonly name = "ProcessError";
  readonly why: "busy" | "closed" | "slow-start" | "timeout" | "out-of-memory" | "died";
  constructor(why: ProcessError["why"], options?: ErrorOptions) {
    super(why, options);
    this.why = why;
  }
}

/** A start takes half a second; on a busy machine, longer. */
const startMs = 60_000;
const heapMegabytes = 256;
const stderrCharacters = 2_000;

export function startProcess<Task, Message>(options: ProcessOptions): TaskProcess<Task, Message> {
  const { logger, program, timeMs } = options;
  const child = fork(program, [String(options.memoryBytesMax)], {
    execArgv: [
      ...confinement(options.folder, options.readable ?? []),
      `--max-old-space-size=${heapMegabytes}`,
      // The default lets tens of megabytes of garbage pile up.
      "--max-semi-space-size=1",
    ],
    env: {},
    serialization: "advanced",
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  preferToEnd(child);
  let isReady = false;
  let ended: ProcessError["why"] | undefined;
  let stderr = "";
  child.stderr?.on("data", (bytes: Buffer) => {
    stderr = (stderr + bytes.toString()).slice(-stderrCharacters);
  });
  child.once("exit", (code, signal) => {
    // The process's own memory watch ends it with SIGKILL, V8's heap limit with SIGABRT.
    ended ??= signal === "SIGKILL" || signal === "SIGABRT" ? "out-of-memory" : "died";
    if (ended !== "closed") logger.warn({ program, why: ended, code, stderr }, "a child process failed");
  });
  // Killing or messaging a process that has just ended fails; the exit event is what counts.
  child.on("error", () => {});
  const received = on(child, "message", { close: ["exit"] });
  unref(child);

  function kill(why: ProcessError["why"] = "closed"): void {
    ended ??= why;
    child.kill("SIGKILL");
  }

  async function next(): Promise<FromChild<Message>> {
    const { value, done } = await received.next().catch((cause: unknown) => {
      throw new ProcessError("died", { cause });
    });
    if (done === true) throw new ProcessError(ended ?? "died");
    return (value as [FromChild<Message>])[0];
  }

  function send(message: ToChild<Task>): void {
    child.send(message, () => {});
  }

  async function* run(task: Task, signal: AbortSignal): AsyncGenerator<Message> {
    let isFinished = false;
    const abort = () => kill();
    signal.addEventListener("abort", abort, { once: true });
    let timer = setTimeout(kill, startMs, "slow-start");
    try {
      while (!isReady) isReady = (await next()).kind === "ready";
      clearTimeout(timer);
      timer = setTimeout(kill, timeMs, "timeout");
      send({ kind: "task", task });
      while (!isFinished) {
        const message = await next();
        if (message.kind === "ready") continue;
        if (message.kind === "last") {
          isFinished = true;
          clearTimeout(timer);
          if (message.isSpent) kill();
        }
        yield message.message;
        if (!isFinished) send({ kind: "taken" });
      }
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
      if (!isFinished) kill();
    }
  }

  return { run, isUsable: () => ended === undefined, kill: () => kill() };
}

/** When memory runs out, Linux ends this process and not the server. */
function preferToEnd({ pid }: ChildProcess): void {
  if (process.platform === "linux" && pid !== undefined)
    writeFile(`/proc/${pid}/oom_score_adj`, "800", () => {});
}

/** Lets the server exit while the process is idle. */
function unref(child: ChildProcess): void {
  child.unref();
  child.channel?.unref();
  (child.stderr as unknown as { unref?(): void } | null)?.unref?.();
}

const root = join(import.meta.dirname, "..", "..");
/** An installed package has its packages beside it. */
const packages = basename(dirname(root)) === "node_modules" ? dirname(root) : join(root, "node_modules");

/**
 * Arguments of Node's permission model: the process may read the code in `folder` (from the app's root) and its
 * packages, these files, and nothing else. It cannot write files or start processes, and has no network where Node can
 * forbid it.
 */
function confinement(folder: string, files: readonly string[]): string[] {
  const readable = ["package.json", "server/package.json", "server/child-process", folder];
  return [
    "--permission",
    ...readable.map((path) => `--allow-fs-read=${join(root, path)}`),
    `--allow-fs-read=${packages}`,
    `--allow-fs-read=${realpathOf(packages)}`,
    ...files.map((path) => `--allow-fs-read=${path}`),
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
