import { join } from "node:path";
import { createProcessPool } from "../../child-process/pool.ts";
import { ProcessError } from "../../child-process/process.ts";
import type { Logger } from "../../lib/logger.ts";
import { ExtractionLimitError, ExtractionError } from "../extraction-error.ts";
import type { Picture, PictureOutcome, PictureTask } from "./picture.ts";

export type PicturesOptions = {
  logger: Pick<Logger, "warn">;
  /** Limit for one image, in milliseconds. */
  timeMs: number;
  /** Limit for the process. The default is 1 GiB: 64 megapixels of 16 bits take half of it. */
  memoryBytesMax?: number;
};

export type Pictures = ReturnType<typeof createPictures>;

/** Converts images in a child process, one at a time. Both functions throw `ExtractionError` and the signal's reason. */
export function createPictures({ logger, timeMs, memoryBytesMax = 1024 * 1024 * 1024 }: PicturesOptions) {
  const pool = createProcessPool<PictureTask, PictureOutcome>({
    logger,
    program: join(import.meta.dirname, "child.ts"),
    folder: "server/extraction",
    timeMs,
    memoryBytesMax,
    processes: 1,
    waitingMax: 100,
  });

  async function run(task: PictureTask, signal: AbortSignal): Promise<Picture> {
    const [outcome] = await Array.fromAsync(pool.run(task, signal)).catch((error: unknown) => {
      throw error instanceof ProcessError ? faultOf(error) : error;
    });
    if ("reason" in outcome!) throw new ExtractionError(outcome.reason, { cause: outcome.cause });
    return outcome!;
  }

  return {
    /** Converts to a format that models accept: PNG or JPEG, no wider and no higher than `edge` pixels. */
    prepare: async (bytes: Uint8Array, edge: number, signal: AbortSignal) =>
      await run({ action: "prepare", bytes, edge }, signal),
    /** Makes a thumbnail: a WebP, no wider and no higher than `edge` pixels. */
    shrink: async (bytes: Uint8Array, edge: number, signal: AbortSignal) =>
      await run({ action: "shrink", bytes, edge }, signal),
    close: pool.close,
  };
}

function faultOf(cause: ProcessError): ExtractionError {
  const isAway = cause.why === "busy" || cause.why === "closed" || cause.why === "slow-start";
  return isAway ? new ExtractionError("away", { cause }) : new ExtractionLimitError({ cause });
}
