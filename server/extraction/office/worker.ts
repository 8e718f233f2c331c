import { parentPort, workerData } from "node:worker_threads";
import type { UnreadReason } from "#contract/parts/unread-files.ts";
import type { WorkerMessage } from "../../lib/isolated-worker.ts";
import { ExtractionError } from "../extraction-error.ts";
import { extractOfficeText, type OfficeLimits, type OfficeText } from "./extract.ts";

/** What the worker replies. */
export type OfficeOutcome = OfficeText | { reason: UnreadReason; cause: string };

parentPort?.on("message", ({ id, body: bytes }: WorkerMessage<Uint8Array>) => {
  void outcomeOf(bytes).then((body) =>
    parentPort?.postMessage({ id, body } satisfies WorkerMessage<OfficeOutcome>),
  );
});

async function outcomeOf(bytes: Uint8Array): Promise<OfficeOutcome> {
  try {
    return await extractOfficeText(bytes, workerData as OfficeLimits);
  } catch (error) {
    const isKnown = error instanceof ExtractionError;
    return {
      reason: isKnown ? error.reason : "damaged",
      cause: String(isKnown ? error.cause : error).slice(0, 500),
    };
  }
}
