import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { limits } from "#contract/limits.ts";
import { createIsolatedWorker, WorkerError } from "../../lib/isolated-worker.ts";
import { AppError } from "../../lib/errors.ts";
import type { Logger } from "../../lib/logger.ts";
import { programVersion } from "#storage/lib/program-version.ts";
import type { StoredContent } from "../shared-branches.ts";
import type { FilesResult, FilesTask, RenderedHtml, RenderResult, RenderTask } from "./render-thread.ts";

/**
 * What a batch of messages became, and the time that it took. `packed` is missing for a message that took too long, which
 * is not stored: perhaps the machine was only busy.
 */
export type Rendered = {
  messages: ((Pick<RenderedHtml, "html"> & Partial<RenderedHtml>) | undefined)[];
  elapsedMs: number;
};

/** Starting and loading takes 0.4 s, and longer on a busy machine. */
const startLimitMs = 15_000;
const idleMs = 10 * 60_000;
/** A link renders one batch at a time, so this is the number of links. */
const waitingMax = 200;
const heapMb = 256;

export type RenderWorker = ReturnType<typeof createRenderWorker>;

/**
 * Renders messages in a worker thread, from the build in the folder of `folderOf`. The thread is terminated when a task takes
 * too long.
 */
export function createRenderWorker({
  folderOf,
  logger,
}: {
  folderOf: () => Promise<string>;
  logger: Pick<Logger, "warn">;
}) {
  const worker = createIsolatedWorker<RenderTask | FilesTask, RenderResult | FilesResult>({
    program: new URL("./render-thread.ts", import.meta.url),
    heapMb,
    limitMs: limits.shareRenderMs,
    startLimitMs,
    idleMs,
    waitingMax,
    onDied: (error) => logger.warn({ err: error }, "the renderer of shared threads failed and restarts"),
  });
  let program: Promise<{ url: string; build: string }> | undefined;

  async function findProgram() {
    const path = join(await folderOf(), "messages.js");
    return { url: pathToFileURL(path).href, build: await buildOf(path) };
  }

  /** It may be built later. */
  async function loadProgram() {
    try {
      return await (program ??= findProgram());
    } catch (error) {
      program = undefined;
      throw error;
    }
  }

  /** `undefined` if the task failed or took too long. */
  async function run(
    task: Omit<RenderTask, "program">,
    signal: AbortSignal,
  ): Promise<{ rendered: RenderedHtml[] | undefined; elapsedMs: number }> {
    const { url } = await loadProgram();
    const result = await attempt({ ...task, program: url }, signal);
    if (result === undefined) return { rendered: undefined, elapsedMs: limits.shareRenderMs };
    return "rendered" in result ? result : { rendered: undefined, elapsedMs: 0 };
  }

  /** `undefined` if the task took too long. Throws `server-busy`. */
  async function attempt(
    task: RenderTask | FilesTask,
    signal: AbortSignal,
  ): Promise<RenderResult | FilesResult | undefined> {
    try {
      const result = await worker.run(task, signal);
      if ("error" in result)
        logger.warn({ reason: result.error }, "a message of a shared thread could not be rendered");
      return result;
    } catch (error) {
      if (!(error instanceof WorkerError)) throw error;
      if (error.why === "busy" || error.why === "closed")
        throw new AppError("server-busy", { cause: error, retryAfterSeconds: 5 });
      return undefined;
    }
  }

  return {
    /** Changes whenever the code that renders does. */
    build: async (): Promise<string> => (await loadProgram()).build,

    /**
     * Renders messages. One that takes too long becomes plain text; `undefined`: not even that was possible. Throws
     * `server-busy` and the reason of the signal.
     */
    async render(
      messages: RenderTask["messages"],
      { language, isPlain }: Pick<RenderTask, "language" | "isPlain">,
      signal: AbortSignal,
    ): Promise<Rendered> {
      const first = await run({ messages, language, isPlain }, signal);
      if (first.rendered !== undefined) return { messages: first.rendered, elapsedMs: first.elapsedMs };
      const found: Rendered = { messages: [], elapsedMs: first.elapsedMs };
      // One of several was too slow, so each gets its own time.
      for (const message of messages) {
        const again =
          messages.length > 1
            ? await this.render([message], { language, isPlain }, signal)
            : isPlain
              ? { messages: [undefined], elapsedMs: 0 }
              : withoutPacked(await this.render([message], { language, isPlain: true }, signal));
        found.messages.push(...again.messages);
        found.elapsedMs += again.elapsedMs;
      }
      return found;
    },

    /** The files in what other people may see of a message; none if it takes too long to find them. */
    async filesIn(stored: StoredContent): Promise<string[]> {
      const result = await attempt({ stored }, new AbortController().signal);
      return result !== undefined && "files" in result ? result.files : [];
    },

    /** Starts the thread, so that the first reader does not wait for it. */
    async warmUp(): Promise<void> {
      await run({ messages: [], language: "", isPlain: true }, new AbortController().signal);
    },

    close: worker.close,
  };
}

function withoutPacked({ messages, elapsedMs }: Rendered): Rendered {
  return { messages: messages.map((message) => message && { html: message.html }), elapsedMs };
}

/** The code of the server that decides what is shown, besides the built renderer. */
const serverCode = ["./render-thread.ts", "../shared-parts.ts", "../../lib/file-urls/file-urls.ts"];

async function buildOf(program: string): Promise<string> {
  const hash = createHash("sha256").update(programVersion());
  for (const path of [program, ...serverCode.map((file) => fileURLToPath(new URL(file, import.meta.url)))])
    hash.update(await readFile(path));
  return hash.digest("base64url").slice(0, 22);
}
