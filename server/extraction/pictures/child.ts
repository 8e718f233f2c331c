import type { UnreadReason } from "#contract/unread-files.ts";
import { FaultError } from "../office/fault.ts";
import type { Picture } from "./pictures.ts";
import { preparePicture } from "./prepare.ts";
import { shrinkPicture } from "./shrink.ts";

/** The process that unfolds pictures: one after another, and it may read its own code and nothing else. */

export type Task = { id: number; bytes: Uint8Array; edge: number; to: "prepare" | "shrink" };
export type Told = { id: number } & (Picture | { reason: UnreadReason; cause: string });

const watchMs = 50;
const memoryBytesMax = Number(process.argv[2]);
const deeds = { prepare: preparePicture, shrink: shrinkPicture };

setInterval(() => {
  if (process.memoryUsage.rss() > memoryBytesMax) process.kill(process.pid, "SIGKILL");
}, watchMs);
process.on("message", (task: Task) => void tell(task));
process.on("disconnect", () => process.exit());

async function tell({ id, bytes, edge, to }: Task): Promise<void> {
  let told: Told;
  try {
    told = { id, ...(await deeds[to](bytes, edge)) };
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
