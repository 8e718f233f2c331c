import { AppError } from "../../lib/errors.ts";
import type { MakeThumbnail } from "../../files/serving/thumbnails.ts";
import type { Logger } from "../../lib/logger.ts";
import { extractionLimits } from "../limits.ts";
import type { Clock } from "../../lib/clock.ts";
import { createFailureBackoff } from "../failure-backoff.ts";
import { ExtractionError } from "../extraction-error.ts";
import { createPictures } from "./pictures.ts";

/**
 * Makes thumbnails in a separate process, so that model requests do not wait for them. A picture that exceeds a limit
 * is retried later; after the third time it has no thumbnail.
 */
export function createThumbnailMaker(options: {
  logger: Pick<Logger, "info" | "warn">;
  clock: Pick<Clock, "now">;
  /** Limit for one picture, in milliseconds. */
  timeMs?: number;
}): { make: MakeThumbnail; close(): void } {
  const { logger, clock, timeMs = extractionLimits.pictureMs } = options;
  const pictures = createPictures({
    logger,
    timeMs,
    memoryBytesMax: extractionLimits.thumbnailMemoryBytesMax,
  });
  const failures = createFailureBackoff(clock);
  // A thumbnail is finished even if its request is aborted: the next request needs it too.
  const { signal } = new AbortController();
  return {
    async make(blobKey, read) {
      try {
        return await failures.run(
          blobKey,
          async () =>
            (await pictures.shrink(await read(), extractionLimits.thumbnailEdgePixels, signal)).bytes,
        );
      } catch (error) {
        if (!(error instanceof ExtractionError)) throw error;
        if (error.reason === "away") throw new AppError("maintenance", { cause: error });
        logger.info({ reason: error.reason, err: error.cause }, "a picture has no thumbnail");
        return undefined;
      }
    },
    close: pictures.close,
  };
}
