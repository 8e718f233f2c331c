import { join } from "node:path";
import { createProcessPool } from "../../child-process/pool.ts";
import { ProcessError } from "../../child-process/process.ts";
import { extraFolders, findExtra, hashesOf } from "../../extras/find-extra.ts";
import type { Logger } from "../../lib/logger.ts";
import { ExtractionError } from "../extraction-error.ts";

/** A picture to recognize the text of, with an extra in this folder. */
export type OcrTask = {
  picture: Uint8Array;
  folder: string;
  languages: readonly string[];
  /** The hash of each file of the extra (SHA-256), which is checked before it is used. */
  hashes: Record<string, string>;
};

export type OcrOutcome = { text: string } | { failure: string };

export type OcrEngine = {
  /** Which languages it recognizes, such as `eng+deu`. */
  name: string;
  /** The text of a PNG or JPEG; empty if there is none, or if it cannot be told. Throws `ExtractionError` and the signal's reason. */
  recognize(picture: Uint8Array, signal: AbortSignal): Promise<string>;
};

/** Recognizes text in pictures, in a child process, one picture at a time. */
export type Ocr = {
  /** Undefined while the extra is not there, or not for this version. */
  find(): Promise<OcrEngine | undefined>;
  close(): void;
};

/** A dense page takes 3 s on one core; on a busy machine, longer. */
const pictureMs = 30_000;
/** A page takes 220 MB, and each further language some 20 MB. */
const memoryBytesMax = 512 * 1024 * 1024;

export function createOcr({ logger, dataDir }: { logger: Pick<Logger, "warn">; dataDir: string }): Ocr {
  const pool = createProcessPool<OcrTask, OcrOutcome>({
    logger,
    program: join(import.meta.dirname, "ocr-child.ts"),
    folder: "server/extraction/ocr",
    readable: extraFolders(dataDir, "ocr"),
    timeMs: pictureMs,
    memoryBytesMax,
    processes: 1,
    waitingMax: 100,
  });
  return {
    async find() {
      const { state, folder, languages } = await findExtra(dataDir, "ocr");
      if (state !== "ready") return undefined;
      const hashes = hashesOf("ocr", languages);
      return {
        name: languages.join("+"),
        async recognize(picture, signal) {
          const task = { picture, folder, languages, hashes };
          const [outcome] = await Array.fromAsync(pool.run(task, signal)).catch((error: unknown) => {
            if (!(error instanceof ProcessError)) throw error;
            if (error.why === "busy" || error.why === "closed" || error.why === "slow-start")
              throw new ExtractionError("away", { cause: error });
            // Too large or too slow: it would be again.
            return [{ text: "" }];
          });
          if ("text" in outcome!) return outcome.text;
          throw new ExtractionError("away", { cause: outcome!.failure });
        },
      };
    },
    close: pool.close,
  };
}
