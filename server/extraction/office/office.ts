import type { Logger } from "#server/lib/logger.ts";
import { ApartError, createApart } from "../../lib/worker-pool.ts";
import type { OfficeBounds, OfficeText } from "./engine.ts";
import { ExhaustedError, FaultError } from "./fault.ts";
import type { Told } from "./worker.ts";

export type { OfficeText } from "./engine.ts";

/** Reads office documents in a thread apart, one after another. */
export type Office = {
  /** Its text. Throws `FaultError`, and the signal's reason. */
  read(bytes: Uint8Array, signal: AbortSignal): Promise<OfficeText>;
  close(): Promise<void>;
};

export type OfficeOptions = {
  logger: Pick<Logger, "warn">;
  /** For one document, in milliseconds. */
  timeMs: number;
  /** How long a thread that has nothing to do is kept, in milliseconds. */
  idleMs?: number;
} & OfficeBounds;

const idleMs = 60_000;
/** Whoever comes when so many wait is told that it cannot be read at the moment. */
const waitingMax = 50;
const heapMb = 256;

export function createOffice({
  logger,
  timeMs,
  unpackedBytesMax,
  charactersMax,
  ...options
}: OfficeOptions): Office {
  const apart = createApart<Uint8Array, Told>({
    program: new URL("./worker.ts", import.meta.url),
    workerData: { unpackedBytesMax, charactersMax } satisfies OfficeBounds,
    heapMb,
    limitMs: timeMs,
    idleMs: options.idleMs ?? idleMs,
    waitingMax,
    died: (error) => logger.warn({ err: error }, "a document was too much to read"),
  });
  return {
    async read(bytes, signal) {
      const told = await apart.run(bytes, signal).catch((error: unknown) => {
        if (!(error instanceof ApartError)) throw error;
        const isAway = error.why === "busy" || error.why === "closed";
        throw isAway ? new FaultError("away", { cause: error }) : new ExhaustedError({ cause: error });
      });
      if ("reason" in told) throw new FaultError(told.reason, { cause: told.cause });
      return told;
    },
    close: apart.close,
  };
}
