import { fork, type ChildProcess } from "node:child_process";
import { join } from "node:path";
import type { Logger } from "../../lib/logger.ts";
import { unlessAborted } from "../../lib/unless-aborted.ts";
import { confinement } from "#server/pdf/process.ts";
import { ExhaustedError, FaultError } from "../office/fault.ts";
import type { Picture, Task, Told } from "./picture.ts";

/** Converts images in a child process, one at a time. Both functions throw `FaultError` and the signal's reason. */
export type Pictures = {
  /** As models take it: PNG or JPEG, no wider and no higher than `edge` pixels. */
  prepare(bytes: Uint8Array, edge: number, signal: AbortSignal): Promise<Picture>;
  /** As people are shown it beside its name: a WebP, no wider and no higher than `edge` pixels. */
  shrink(bytes: Uint8Array, edge: number, signal: AbortSignal): Promise<Picture>;
  close(): void;
};

export type PicturesOptions = {
  logger: Pick<Logger, "warn">;
  /** For one picture, in milliseconds, from when its turn comes. */
  timeMs: number;
  /** What the process may hold, in bytes; 1 GiB where it is not said, for 64 megapixels of 16 bits are half of that. */
  memoryBytesMax?: number;
  /** How long a process that has nothing to do is kept, in milliseconds. */
  idleMs?: number;
};

const idleMs = 60_000;
const memoryBytesMax = 1024 * 1024 * 1024;
const waitingMax = 100;

/**
 * The decoders of pictures are C, and strangers send what they decode: the process has no environment, no files and no
 * way out, and is ended when it takes too long. What breaks it breaks nothing else.
 */
export function createPictures(options: PicturesOptions): Pictures {
  let running: ChildProcess | undefined;
  let queue: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  let nextId = 1;
  let idle: NodeJS.Timeout | undefined;
  let closed = false;

  function start(): ChildProcess {
    const most = String(options.memoryBytesMax ?? memoryBytesMax);
    const child = fork(join(import.meta.dirname, "child.ts"), [most], {
      execArgv: [...confinement("server/extraction"), "--max-old-space-size=256"],
      env: {},
      serialization: "advanced",
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    child.unref();
    child.channel?.unref();
    // Written to when it has just ended; the exit is what counts.
    child.on("error", () => {});
    child.once("exit", () => {
      if (running === child) running = undefined;
    });
    return child;
  }

  function stop(): void {
    const child = running;
    running = undefined;
    child?.kill("SIGKILL");
  }

  async function perform(asked: Asked, signal: AbortSignal): Promise<Picture> {
    clearTimeout(idle);
    running ??= start();
    const limit = AbortSignal.timeout(options.timeMs);
    try {
      return await answerOf(running, { id: nextId++, ...asked }, AbortSignal.any([signal, limit]));
    } catch (error) {
      if (error instanceof FaultError) throw error;
      stop();
      signal.throwIfAborted();
      options.logger.warn({ err: error }, "a picture ended what unfolds pictures");
      throw closed ? new FaultError("away", { cause: error }) : new ExhaustedError({ cause: error });
    } finally {
      idle = setTimeout(stop, options.idleMs ?? idleMs);
      idle.unref();
    }
  }

  async function inTurn(asked: Asked, signal: AbortSignal): Promise<Picture> {
    signal.throwIfAborted();
    if (closed || waiting >= waitingMax) throw new FaultError("away");
    waiting++;
    const mine = queue.then(async () => {
      signal.throwIfAborted();
      return await perform(asked, signal);
    });
    queue = mine.then(
      () => waiting--,
      () => waiting--,
    );
    return await unlessAborted(mine, signal);
  }

  return {
    prepare: async (bytes, edge, signal) => await inTurn({ to: "prepare", bytes, edge }, signal),
    shrink: async (bytes, edge, signal) => await inTurn({ to: "shrink", bytes, edge }, signal),
    close() {
      closed = true;
      clearTimeout(idle);
      stop();
    },
  };
}

type Asked = Omit<Task, "id">;

function pictureOf({ mediaType, bytes, pages }: Picture): Picture {
  return { mediaType, bytes, ...(pages === undefined ? {} : { pages }) };
}

async function answerOf(child: ChildProcess, task: Task, signal: AbortSignal): Promise<Picture> {
  const { promise, resolve, reject } = Promise.withResolvers<Picture>();
  const hear = (told: Told) => {
    if (told.id !== task.id) return;
    if ("reason" in told) reject(new FaultError(told.reason, { cause: told.cause }));
    else resolve(pictureOf(told));
  };
  const ended = () => reject(new Error("the process ended"));
  const end = () => reject(signal.reason as Error);
  child.on("message", hear).once("exit", ended);
  signal.addEventListener("abort", end, { once: true });
  child.send(task, () => {});
  try {
    return await promise;
  } finally {
    signal.removeEventListener("abort", end);
    child.off("message", hear).off("exit", ended);
  }
}
