import type { UnreadReason } from "#contract/unread-files.ts";
import { FaultError } from "../office/fault.ts";
import type { Picture } from "./pictures.ts";
import { preparePicture } from "./prepare.ts";

/** The process that unfolds pictures: one after another, and it may read its own code and nothing else. */

export type Task = { id: number; bytes: Uint8Array; edge: number };
export type Told = { id: number } & (Picture | { reason: UnreadReason; cause: string });

process.on("message", (task: Task) => void tell(task));
process.on("disconnect", () => process.exit());

async function tell({ id, bytes, edge }: Task): Promise<void> {
  let told: Told;
  try {
    told = { id, ...(await preparePicture(bytes, edge)) };
  } catch (error) {
    const isFault = error instanceof FaultError;
    told = {
      id,
      reason: isFault ? error.reason : "damaged",
      cause: String(isFault ? error.cause : error).slice(0, 500),
    };
  }
  process.send?.(told);
}
