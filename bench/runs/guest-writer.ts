// A worker thread in which a guest stores as much text as it can, so that the measuring thread has no other work.
import { parentPort, workerData } from "node:worker_threads";

export type Writing = {
  url: string;
  headers: Record<string, string>;
  body: string;
  connections: number;
  durationMs: number;
};

const { url, headers, body, connections, durationMs } = workerData as Writing;
const endsAt = performance.now() + durationMs;
const statuses = new Set<number>();

await Promise.all(Array.from({ length: connections }, async () => await send()));
parentPort!.postMessage(statuses);

async function send(): Promise<void> {
  while (performance.now() < endsAt) {
    const response = await fetch(url, { method: "POST", headers, body });
    await response.text();
    statuses.add(response.status);
  }
}
