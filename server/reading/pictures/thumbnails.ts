import { AppError } from "../../errors.ts";
import type { MakeThumbnail } from "../../files/thumbnails.ts";
import type { Logger } from "../../logger.ts";
import { bounds } from "../bounds.ts";
import { ExhaustedError, FaultError } from "../office/fault.ts";
import { createPictures } from "./pictures.ts";

/** Makes thumbnails in a process of their own, so that no model waits behind them. */
export function createThumbnailMaker(options: { logger: Logger }): { make: MakeThumbnail; close(): void } {
  const { logger } = options;
  const pictures = createPictures({
    logger,
    timeMs: bounds.pictureMs,
    memoryBytesMax: bounds.thumbnailMemoryBytes,
  });
  // Whoever goes does not stop it: the next one wants it too.
  const { signal } = new AbortController();
  return {
    async make(bytes) {
      try {
        return (await pictures.shrink(bytes, bounds.thumbnailEdge, signal)).bytes;
      } catch (error) {
        if (!(error instanceof FaultError)) throw error;
        if (error.reason === "away" && !(error instanceof ExhaustedError))
          throw new AppError("maintenance", { cause: error });
        logger.info({ reason: error.reason, err: error.cause }, "a picture has no thumbnail");
        return undefined;
      }
    },
    close: pictures.close,
  };
}
