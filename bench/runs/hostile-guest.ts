import { once } from "node:events";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { limits } from "#contract/limits.ts";
import type { Writing } from "./guest-writer.ts";
import { call, signUp, startParlance } from "../support/parlance.ts";
import { startProcess } from "../support/process.ts";
import type { Bench } from "../support/report.ts";
import { worstProbe } from "./hostile.ts";

const MiB = 1024 * 1024;
const durationMs = 5_000;
const connections = 8;
/** Three times the text, because it is also in the index of words and, until the checkpoint, in the write-ahead log. */
const maxMiB = (3 * limits.guestWritesPerMinute * limits.guestWriteBytes) / MiB;
/** More than an idle server on the same machine at the same time. */
const maxAddedMs = 100;

/** What one guest can store, and whether the server answers others meanwhile. */
export const hostileGuest: Bench = {
  about: "what one guest stores in five seconds, and the worst answer of /healthz meanwhile",
  async run() {
    const server = await startParlance({});
    const bare = await startProcess(["bench/support/bare-server.ts"]);
    try {
      const guest = await signUp(server.url);
      const { thread_id: id } = await call<{ thread_id: string }>(guest, "POST", "/v1/threads", {
        last_message_at: new Date().toISOString(),
      });
      const text = "word ".repeat(MiB / 5);
      const body = JSON.stringify({
        parent_id: null,
        format: "aui/v0",
        content: { role: "user", content: [{ type: "text", text }], metadata: { custom: {} } },
      });
      const before = sizeOf(server.dataDir);
      const writer = new Worker(new URL("./guest-writer.ts", import.meta.url), {
        workerData: {
          url: `${server.url}/v1/threads/${id}/messages`,
          headers: guest.headers,
          body,
          connections,
          durationMs,
        } satisfies Writing,
      });
      const sending = once(writer, "message");
      const [worstMs, idleMs, [statuses]] = await Promise.all([
        worstProbe(server.url, sending),
        worstProbe(bare.url, sending),
        sending as Promise<[Set<number>]>,
      ]);
      const storedMiB = (sizeOf(server.dataDir) - before) / MiB;
      if (!statuses.has(429)) throw new Error(`The guest was not limited: ${[...statuses].join(", ")}`);
      return [
        {
          what: "data folder of the server: growth by one guest",
          unit: "MiB",
          ours: storedMiB,
          aim: `at most ${maxMiB.toFixed(0)} MiB`,
          met: storedMiB <= maxMiB,
        },
        {
          what: "worst answer of /healthz meanwhile",
          unit: "ms",
          ours: worstMs,
          baseline: idleMs,
          against: "the worst of an idle server beside it",
          aim: `at most ${maxAddedMs} ms more`,
          met: worstMs - idleMs <= maxAddedMs,
        },
      ];
    } finally {
      await server.stop();
      await bare.stop();
    }
  },
};

function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
