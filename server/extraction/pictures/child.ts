import { FaultError } from "../office/fault.ts";
import type { Task, Told } from "./picture.ts";
import { preparePicture } from "./prepare.ts";
import { shrinkPicture } from "./shrink.ts";

/** The child process that decodes images, one at a time. It may read only its own code. */

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
