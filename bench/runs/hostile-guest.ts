import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { limits } from "#contract/limits.ts";
import { call, signUp, startParlance } from "../support/parlance.ts";
import type { Bench } from "../support/report.ts";
import { worstProbe } from "./hostile.ts";

const MiB = 1024 * 1024;
const seconds = 5;
const connections = 8;
/** Three times the text, because it is also in the index of words and, until the checkpoint, in the write-ahead log. */
const maxMiB = (3 * limits.guestWritesPerMinute * limits.guestWriteBytes) / MiB;
const maxMs = 100;

/** What one guest can store, and whether the server answers others meanwhile. */
export const hostileGuest: Bench = {
  about: "what one guest stores in five seconds, and the worst answer of /healthz meanwhile",
  async run() {
    const server = await startParlance({});
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
      const endsAt = performance.now() + seconds * 1_000;
      const statuses = new Map<number, number>();
      const send = async () => {
        while (performance.now() < endsAt) {
          const url = `${server.url}/v1/threads/${id}/messages`;
          const { status } = await fetch(url, { method: "POST", headers: guest.headers, body });
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
        }
      };
      const sending = Promise.all(Array.from({ length: connections }, send));
      const [worstMs] = await Promise.all([worstProbe(server.url, sending), sending]);
      const storedMiB = (sizeOf(server.dataDir) - before) / MiB;
      if (!statuses.has(429)) throw new Error(`The guest was not limited: ${JSON.stringify([...statuses])}`);
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
          aim: `at most ${maxMs} ms`,
          met: worstMs <= maxMs,
        },
      ];
    } finally {
      await server.stop();
    }
  },
};

function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
