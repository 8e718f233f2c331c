import type { Logger } from "#server/lib/logger.ts";
import { WorkerError, createIsolatedWorker } from "../../lib/isolated-worker.ts";
import { ExtractionError, ExtractionLimitError } from "../extraction-error.ts";
import type { OfficeLimits, OfficeText } from "./extract.ts";
import type { OfficeOutcome } from "./worker.ts";

export type { OfficeText } from "./extract.ts";

/** Extracts the text of office documents in a worker thread, one at a time. */
export type Office = {
  /** Throws `ExtractionError` and the signal's reason. */
  extract(bytes: Uint8Array, signal: AbortSignal): Promise<OfficeText>;
  close(): Promise<void>;
};

export type OfficeOptions = {
  logger: Pick<Logger, "warn">;
  /** Limit for one document, in milliseconds. */
  timeMs: number;
} & OfficeLimits;

const idleMs = 60_000;
const waitingMax = 50;
const heapMb = 256;

export function createOffice({ logger, timeMs, unpackedBytesMax, charactersMax }: OfficeOptions): Office {
  const worker = createIsolatedWorker<Uint8Array, OfficeOutcome>({
    program: new URL("./worker.ts", import.meta.url),
    workerData: { unpackedBytesMax, charactersMax } satisfies OfficeLimits,
    heapMb,
    limitMs: timeMs,
    idleMs,
    waitingMax,
    onDied: (error) => logger.warn({ err: error }, "the worker for office documents failed"),
  });
  return {
    async extract(bytes, signal) {
      const outcome = await worker.run(bytes, signal).catch((error: unknown) => {
        if (!(error instanceof WorkerError)) throw error;
        const isAway = error.why === "busy" || error.why === "closed";
        throw isAway
          ? new ExtractionError("away", { cause: error })
          : new ExtractionLimitError({ cause: error });
      });
      if ("reason" in outcome) throw new ExtractionError(outcome.reason, { cause: outcome.cause });
      return outcome;
    },
    close: worker.close,
  };
}
