import { workerData } from "node:worker_threads";

/**
 * Looks after the process from a thread beside it, for the process itself is deaf while it reads: ends it when it holds
 * more than `memoryBytesMax`, and when the server that started it is gone.
 */
const everyMs = 50;
const { memoryBytesMax, parentId } = workerData as { memoryBytesMax: number; parentId: number };

setInterval(() => {
  if (process.memoryUsage.rss() > memoryBytesMax || process.ppid !== parentId)
    process.kill(process.pid, "SIGKILL");
}, everyMs);
