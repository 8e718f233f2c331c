import { parentPort, workerData } from "node:worker_threads";
import type { UnreadReason } from "#contract/unread-files.ts";
import { officeText, type OfficeBounds, type OfficeText } from "./engine.ts";
import type { Numbered } from "../../lib/worker-pool.ts";
import { FaultError } from "./fault.ts";

/** What the worker tells of a document's bytes. */
export type Told = OfficeText | { reason: UnreadReason; cause: string };

parentPort?.on("message", (task: Numbered<Uint8Array>) => {
  void tell(task);
});

async function tell({ id, body: bytes }: Numbered<Uint8Array>): Promise<void> {
  let told: Told;
  try {
    told = await officeText(bytes, workerData as OfficeBounds);
  } catch (error) {
    const reason = error instanceof FaultError ? error.reason : "damaged";
    told = { reason, cause: String(error instanceof FaultError ? error.cause : error).slice(0, 500) };
  }
  parentPort?.postMessage({ id, body: told } satisfies Numbered<Told>);
}
