import { parentPort, workerData } from "node:worker_threads";
import type { UnreadReason } from "#contract/unread-files.ts";
import { officeText, type OfficeBounds, type OfficeText } from "./engine.ts";
import { FaultError } from "./fault.ts";

/** What the worker is asked, and what it tells. */
export type Task = { id: number; bytes: Uint8Array };
export type Told = { id: number } & (OfficeText | { reason: UnreadReason; cause: string });

parentPort?.on("message", (task: Task) => {
  void tell(task);
});

async function tell({ id, bytes }: Task): Promise<void> {
  let told: Told;
  try {
    told = { id, ...(await officeText(bytes, workerData as OfficeBounds)) };
  } catch (error) {
    const reason = error instanceof FaultError ? error.reason : "damaged";
    told = { id, reason, cause: String(error instanceof FaultError ? error.cause : error).slice(0, 500) };
  }
  parentPort?.postMessage(told);
}
