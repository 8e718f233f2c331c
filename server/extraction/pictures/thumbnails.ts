import { AppError } from "../../lib/errors.ts";
import type { MakeThumbnail } from "../../files/serving/thumbnails.ts";
import type { Logger } from "../../lib/logger.ts";
import { bounds } from "../bounds.ts";
import type { Clock } from "../../lib/clock.ts";
import { createFailures } from "../failures.ts";
import { FaultError } from "../office/fault.ts";
import { createPictures } from "./pictures.ts";

/**
 * Makes thumbnails in a process of their own, so that no model waits behind them. What was too much for it is tried
 * again later: only what is too much each time has none.
 */
export function createThumbnailMaker(options: {
  logger: Pick<Logger, "info" | "warn">;
  clock: Pick<Clock, "now">;
  /** For one picture, in milliseconds. */
  timeMs?: number;
}): { make: MakeThumbnail; close(): void } {
  const { logger, clock, timeMs = bounds.pictureMs } = options;
  const pictures = createPictures({ logger, timeMs, memoryBytesMax: bounds.thumbnailMemoryBytes });
  const failures = createFailures(clock);
  // Whoever goes does not stop it: the next one wants it too.
  const { signal } = new AbortController();
  return {
    async make(blobKey, read) {
      try {
        return await failures.unlessFailed(
          blobKey,
          async () => (await pictures.shrink(await read(), bounds.thumbnailEdge, signal)).bytes,
        );
      } catch (error) {
        if (!(error instanceof FaultError)) throw error;
        if (error.reason === "away") throw new AppError("maintenance", { cause: error });
        logger.info({ reason: error.reason, err: error.cause }, "a picture has no thumbnail");
        return undefined;
      }
    },
    close: pictures.close,
  };
}
